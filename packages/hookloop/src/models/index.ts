export { createAnthropicModel } from "./anthropic.ts";
export { readModelSettings } from "./model-settings.ts";
export { createOfflineModel, OFFLINE_MODEL } from "./offline/offline-model.ts";
export { createScriptedModel, readScript } from "./scripted.ts";
