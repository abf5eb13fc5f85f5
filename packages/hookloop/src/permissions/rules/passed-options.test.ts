import { describe, expect, test } from "vitest";
import { processorMs } from "../../growth.test-suite.ts";
import { decide } from "../decide.ts";
import { readRules } from "./read-rules.ts";

/** Deny rules about a command, against lines with options between the program and the words of the rule, and against other names of it. */

const root = "/home/user/app";

function decisionOf(permissions: { deny?: string[]; allow?: string[]; ask?: string[] }, command: string): string | undefined {
  const { rules } = readRules([{ scope: "user", root, isTrusted: true, permissions }]);
  return decide({ tool_name: "Bash", tool_input: { command }, cwd: root }, rules, { root, home: "/home/me" }).decision;
}

describe("a rule that forbids sees through options before its words", () => {
  test.each([
    ["apt-get install *", "apt-get -y install x"],
    ["apt-get install *", "sudo apt-get -o Dpkg::Use-Pty=0 -qq install x"],
    ["docker compose down *", "docker compose -f x.yml down"],
    ["docker compose down *", "docker --context p compose -p a --file x.yml down -v"],
    ["helm upgrade *", "helm -n prod upgrade a b"],
    ["aws s3 cp *", "aws --profile prod s3 cp a b"],
    ["aws s3 cp *", "aws --profile prod s3 --no-paginate cp a b"],
    ["pulumi up *", "pulumi -C infra up"],
    ["cargo publish *", "cargo +stable publish"],
    ["cargo publish *", "cargo +stable -q publish"],
    ["make deploy", "make -C . deploy"],
    ["make deploy", "make -j 4 -k deploy"],
    ["gcloud run deploy *", "gcloud --project p run deploy x"],
    ["pip install *", "pip -q install x"],
    ["pip install *", "pip3 install x"],
    ["pip install *", "pip3.12 -q install x"],
    ["pip3 install *", "pip install x"],
    ["pip install *", "python3 -m pip install x"],
    ["pip install *", "python3 -I -m pip --quiet install x"],
    ["pip install:*", "/usr/bin/pip3 install x"],
    ["terraform destroy *", "terraform -chdir=infra destroy"],
    ["npm run deploy", "npm run -s deploy"],
    ["npm run deploy", "npm run --prefix x deploy"],
    ["npm run deploy*", "npm run -s deploy:prod"],
    ["npm run deploy", "npm run-script deploy"],
    ["npm install *", "npm i x"],
    ["npm install *", "npm --silent i x"],
    ["npm i *", "npm install x"],
    ["go install *", "go -C x install"],
    ["az group delete *", "az --subscription s group delete"],
    ["redis-cli flushall *", "redis-cli -h h flushall"],
    ["hg push *", "hg -R x push"],
    ["hg push", "/usr/bin/hg --cwd x push"],
    ["git push *", "git --attr-source x -c a=b push origin"],
    ["rm -rf *", "rm -v -rf x"],
  ])("Bash(%s): %s", (spec, line) => {
    expect(decisionOf({ deny: [`Bash(${spec})`], allow: ["Bash"] }, line)).toBe("deny");
    expect(decisionOf({ ask: [`Bash(${spec})`], allow: ["Bash"] }, line)).toBe("ask");
  });

  test.each([
    ["apt-get install *", "apt-get -y remove x"],
    ["apt-get install *", "apt-get remove install"],
    ["git push *", "git log --grep=x push"],
    ["npm run deploy", "npm run -s build"],
    ["npm run deploy", "npm run build deploy"],
    ["make deploy", "make -C . build"],
    ["pip install *", "python3 -m pipx list"],
    ["pip install *", "pip3 list"],
    ["docker compose down *", "docker compose -f x.yml up"],
  ])("Bash(%s) leaves alone: %s", (spec, line) => {
    expect(decisionOf({ deny: [`Bash(${spec})`], allow: ["Bash"] }, line)).toBe("allow");
  });

  test.each([
    ["apt-get install *", "apt-get -y install x"],
    ["npm install *", "npm i x"],
    ["pip install *", "python3 -m pip install x"],
    ["make deploy", "make -C . deploy"],
  ])("an allow rule does not widen: Bash(%s): %s", (spec, line) => {
    expect(decisionOf({ allow: [`Bash(${spec})`] }, line)).not.toBe("allow");
  });

  test("many options cost little", () => {
    const line = `apt-get ${"-a ".repeat(5000)}install x`;
    const used = processorMs(() => {
      expect(decisionOf({ deny: ["Bash(apt-get install *)", "Bash(apt-get * install * *)"], allow: ["Bash"] }, line)).toBe("deny");
      expect(decisionOf({ deny: ["Bash(apt-get install *)"], allow: ["Bash"] }, `apt-get ${"-a ".repeat(200)}install x`)).toBe("deny");
    });
    expect(used).toBeLessThan(2000);
  });
});
