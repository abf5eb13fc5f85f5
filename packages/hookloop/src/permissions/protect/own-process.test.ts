import { expect, test } from "vitest";
import { processorNow } from "../../growth.test-suite.ts";
import { protect } from "./protect.ts";

const agent = {
  pids: [4321, 4000],
  names: ["node", "hookloop"],
  commandLine: "/usr/bin/node /usr/lib/node_modules/hookloop/bin/hookloop.js agent -p go",
};
const bash = (command: string): string | undefined => {
  const found = protect({ tool: "Bash", input: { command } }, { cwd: "/srv/app", home: "/home/x", env: {}, agent });
  return found?.paths[0]?.what;
};

test.each([
  "kill $PPID",
  "kill -STOP $PPID",
  "kill -s STOP ${PPID}",
  'kill -9 "$PPID"',
  "kill -STOP -- -$PPID",
  "/bin/kill -TSTP $PPID",
  "sudo kill -STOP $PPID",
  "sh -c 'kill -STOP $PPID'",
  "kill -STOP 4321",
  "kill -STOP -4321",
  "kill 4000",
  "p=$PPID; kill -STOP $p",
  "kill -STOP $(ps -o ppid= -p $$)",
  "kill -STOP $(awk '/PPid/ {print $2}' /proc/self/status)",
  "kill -STOP $(cut -d' ' -f4 /proc/$$/stat)",
  "kill ${HOOKLOOP_RUN%%:*}",
  "echo $PPID | xargs kill -STOP",
  "kill $(pgrep node)",
  "kill $(pgrep -f bin/hookloop)",
  "kill $(pidof node)",
  "ps aux | grep hookloop | awk '{print $2}' | xargs kill",
  "pkill node",
  "pkill -STOP -f hookloop.js",
  "pkill -f 'n.de .*agent'",
  "pkill 'vite|node'",
  "pkill -f .",
  "killall -STOP node",
  "prlimit --pid $PPID --nofile=1",
  "prlimit --pid=4321 --nproc=1",
  "prlimit -p4321 --nofile=1",
  "gdb -p $PPID",
  "gdb --pid=4321 -batch -ex 'call exit(0)'",
  "strace -f -p $PPID",
  "ltrace -p 4321",
  "lldb -p $PPID",
  "gcore $PPID",
  "renice 19 -p $PPID",
  "ionice -c3 -p $PPID",
  "taskset -p 1 $PPID",
  "chrt -i -p 0 $PPID",
  "nsenter -t $PPID -m sh",
  "echo 1000 > /proc/$PPID/oom_score_adj",
  "echo 1000 > /proc/4321/oom_score_adj",
  "dd if=x of=/proc/4321/mem",
  "echo 1 > /sys/fs/cgroup/x/cgroup.freeze",
  "python3 -c 'import os; os.kill(os.getppid(), 19)'",
  "node -e 'process.kill(process.ppid, \"SIGSTOP\")'",
  "perl -e 'kill STOP => getppid'",
  "ruby -e 'Process.kill(:STOP, Process.ppid)'",
])("%s is about the running agent", (command) => expect(bash(command)).toBe("running agent"));

test.each([
  "kill 1234",
  "kill %1",
  "kill -l",
  "kill -0 $PPID",
  "npm start & p=$!; sleep 1; kill $p",
  "kill $SERVER_PID",
  "kill $(cat server.pid)",
  "kill $(lsof -ti :3000)",
  "lsof -ti :3000 | xargs kill",
  "kill $(pgrep -f 'vite --port 3000')",
  "pkill -f 'vite --port'",
  "pkill vite",
  "killall nginx",
  "ps aux | grep nginx | awk '{print $2}' | xargs kill",
  "fuser -k 3000/tcp",
  "cd /srv/app && kill $SERVER_PID",
  "echo $PPID",
  "cat /proc/$PPID/status",
  "ps -o pid,ppid,comm",
  "pgrep node",
  "grep node package.json",
  "strace ls",
  "gdb ./prog core",
  "taskset -c 0 make",
  "echo x > /proc/self/fd/1",
  "node -e 'console.log(process.ppid)'",
  "git commit -m 'kill $PPID'",
  "echo kill 4321",
])("%s is not", (command) => expect(bash(command)).toBeUndefined());

test("a pattern that never ends is not run", () => {
  const start = processorNow();
  bash(`pkill -f '(${"a*".repeat(30)})+$'`);
  expect(processorNow() - start).toBeLessThan(1000);
});
