export { createAnthropicModel } from "./anthropic.ts";
export { readModelSettings } from "./model-settings.ts";
export { createOfflineModel, isOfflineModel } from "./offline/offline-model.ts";
export { createScriptedModel, readScript } from "./scripted.ts";
