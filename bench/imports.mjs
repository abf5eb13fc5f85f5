import { execFileSync } from "node:child_process";
import { medians } from "./rounds.mjs";

/** CPU milliseconds around one `import()` in a fresh process whose module loader is warm: a package was imported before. */
function importCpu(specifier) {
  const script = `await import("@hookloop/sdk/package.json", { with: { type: "json" } }); const before = process.cpuUsage();
    await import(${JSON.stringify(specifier)}); const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], options));
}

/** What importing the SDK costs a hook script, and the engine a program. */
export async function measureImports(rounds) {
  const cpu = medians(
    {
      "import @hookloop/sdk/hook": () => importCpu("@hookloop/sdk/hook"),
      "import @hookloop/sdk": () => importCpu("@hookloop/sdk"),
      "import hookloop": () => importCpu("hookloop"),
      "import zod, to compare": () => importCpu("zod"),
    },
    rounds,
  );
  const targets = { "import @hookloop/sdk/hook": "≤ 3 ms", "import @hookloop/sdk": "≤ 3 ms", "import hookloop": "≤ 40 ms" };
  return Object.entries(cpu).map(([name, ms]) => ({ name, "CPU ms": ms.toFixed(2), ratio: "", target: targets[name] ?? "" }));
}
