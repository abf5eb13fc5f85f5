export { createAnthropicModel } from "./anthropic.ts";
export { createScriptedModel, readModelSettings, readScript } from "./model-settings.ts";
export { createOfflineModel, isOfflineModel } from "./offline-model.ts";
