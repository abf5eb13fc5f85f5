/** Which test files start first: those that take long, since one of them that starts last keeps a whole run waiting. */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Ten seconds and more, most of them waiting. The others start in the order of their size. */
const SLOW = [
  "test/agent/terminal.process.test.ts",
  "test/agent/conversation.process.test.ts",
  "test/security/agent-processes.process.test.ts",
  "test/security/guards-that-cannot-run.process.test.ts",
  "test/security/answers.process.test.ts",
  "test/security/guards-in-heads.process.test.ts",
  "test/security/bounded-work.process.test.ts",
  "packages/hookloop/src/run/module/sdk-scripts.process.test.ts",
  "test/security/trust-store-put-back.process.test.ts",
  "test/security/mcp-processes.process.test.ts",
  "test/security/proven-closures.process.test.ts",
  "test/engine/trace/trace.process.test.ts",
  "test/engine/mcp/mcp.process.test.ts",
  "test/engine/time.process.test.ts",
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = SLOW.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? SLOW.length : place;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
