import type { Call, Report } from "./call/call.ts";
import { HOST_RULES } from "./git/hosts.ts";
import { GIT_RULES } from "./git/rules.ts";
import { compileRules } from "./rule.ts";
import { TEXT_LANGUAGE_RULES } from "./rules/awk-and-sed.ts";
import { CLOUD_RULES } from "./rules/cloud.ts";
import { CONTAINER_RULES } from "./rules/containers.ts";
import { DATABASE_RULES } from "./rules/data/databases.ts";
import { MIGRATION_RULES } from "./rules/data/migrations.ts";
import { DISK_RULES } from "./rules/disks.ts";
import { DOWNLOAD_RULES } from "./rules/downloads.ts";
import { FILE_RULES } from "./rules/files.ts";
import { INLINE_RULES } from "./rules/inline-code.ts";
import { MACHINE_RULES } from "./rules/machine.ts";
import { PERMISSION_RULES } from "./rules/permissions.ts";
import { REGISTRY_RULES } from "./rules/registries.ts";
import { SECRET_RULES } from "./rules/secrets.ts";
import { HELPER_RULES } from "./rules/start-files.ts";
import { WINDOWS_RULES } from "./rules/windows.ts";

/** Every row of every family, by program. */
export const applyRules: (call: Call, report: Report) => void = compileRules([
  ...FILE_RULES,
  ...DISK_RULES,
  ...GIT_RULES,
  ...HOST_RULES,
  ...DOWNLOAD_RULES,
  ...PERMISSION_RULES,
  ...SECRET_RULES,
  ...MACHINE_RULES,
  ...CONTAINER_RULES,
  ...CLOUD_RULES,
  ...DATABASE_RULES,
  ...REGISTRY_RULES,
  ...INLINE_RULES,
  ...HELPER_RULES,
  ...WINDOWS_RULES,
  ...MIGRATION_RULES,
  ...TEXT_LANGUAGE_RULES,
]);
