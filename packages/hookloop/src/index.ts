export {
  abilitiesOf,
  EVENT_NAMES,
  EVENTS,
  type EventRow,
  type EventRows,
  type Field,
  type Fields,
  type FieldType,
  type HookKind,
  inputFieldsOf,
  isEventName,
  samplePayload,
} from "./catalogue/index.ts";
