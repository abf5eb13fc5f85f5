export { type AnthropicOptions, createAnthropicModel } from "./anthropic.ts";
export { type ModelSettings, readModelSettings } from "./model-settings.ts";
export { createOfflineModel, OFFLINE_MODEL } from "./offline/offline-model.ts";
export { createScriptedModel, readScript, type Script } from "./scripted.ts";
