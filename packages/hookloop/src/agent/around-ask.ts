import type { ToolOptions } from "../engine/index.ts";
import type { Feature } from "./features/index.ts";

type Ask = NonNullable<ToolOptions["ask"]>;

/** The question to the person, with what features do meanwhile around it. */
export function aroundAsk(ask: Ask, features: () => readonly Feature[]): Ask {
  return async (call, verdict, why) => {
    const question = async (): Promise<Awaited<ReturnType<Ask>>> => await ask(call, verdict, why);
    const around = features().reduce((inner, feature) => {
      return async () => (feature.whileAsking ? await feature.whileAsking(call, inner) : await inner());
    }, question);
    return await around();
  };
}
