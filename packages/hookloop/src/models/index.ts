export { createAnthropicModel } from "./anthropic.ts";
export { createOfflineModel, createScriptedModel, isOfflineModel, readModelSettings, readScript } from "./model-settings.ts";
