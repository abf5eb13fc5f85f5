import { afterAll, afterEach, vi } from "vitest";

/**
 * What a helper must undo. Test files of one worker share their modules, so a helper's own `afterEach` would count only for the first file
 * that imports it: helpers leave what is to be done here, and `watchFile` (run for every test file) does it.
 */
type Cleanup = () => Promise<unknown> | unknown;
const ofTest: Cleanup[] = [];
const ofFile: Cleanup[] = [];

/** Undone when the running test ends, the latest first. */
export function afterThisTest(cleanup: Cleanup): void {
  ofTest.push(cleanup);
}

/** Undone when all tests of the running file have ended. */
export function afterThisFile(cleanup: Cleanup): void {
  ofFile.push(cleanup);
}

export function watchFile(): void {
  afterEach(async () => {
    await run(ofTest);
    vi.unstubAllEnvs();
  });
  afterAll(() => run(ofFile));
}

async function run(cleanups: Cleanup[]): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
