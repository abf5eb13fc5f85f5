/** What the five source systems promise, one row per behaviour. `docs/sources.md` is made from it; `test/pins/requirements.test.ts` checks it. */
import { AUTHORING_LIBRARY } from "./requirements/authoring-library.ts";
import { FILE_PROTOCOL } from "./requirements/file-protocol.ts";
import { PRODUCTION_ENGINE } from "./requirements/production-engine.ts";
import type { Requirement, Source } from "./requirements/requirement.ts";
import { SAMPLING_REGISTRY } from "./requirements/sampling-registry.ts";
import { TEACHING_LOOP } from "./requirements/teaching-loop.ts";

export const SOURCES: readonly Source[] = [TEACHING_LOOP, PRODUCTION_ENGINE, SAMPLING_REGISTRY, FILE_PROTOCOL, AUTHORING_LIBRARY];

export const REQUIREMENTS: readonly Requirement[] = SOURCES.flatMap(({ groups }) => groups.flatMap(({ rows }) => rows));
