import type { SamplingRegistry } from "./create-sampling-registry.ts";

/** The cleanup is registered before the setup runs: a setup that fails half-way is cleaned up when the session ends. */
export async function withCleanup<Resource>(
  registerHook: SamplingRegistry["registerHook"],
  setup: () => Resource | PromiseLike<Resource>,
  cleanup: (resource: Resource | undefined) => unknown,
): Promise<() => Promise<void>> {
  let resource: Resource | undefined;
  let isDone = false;
  const cleanUp = async (): Promise<void> => {
    if (isDone) return;
    isDone = true;
    unregister();
    await cleanup(resource);
  };
  const unregister = registerHook("session_end", cleanUp, { name: cleanup.name || "cleanup" });
  resource = await setup();
  return cleanUp;
}
