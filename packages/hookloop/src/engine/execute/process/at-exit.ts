/** What must happen even if this program calls `process.exit`, or ends by an error nobody caught. Only what can be done at once: nothing is waited for. */
const tasks = new Set<() => void>();
let isListening = false;

/** Does it when this program exits; the function it gives takes it back. */
export function atExit(task: () => void): () => void {
  if (!isListening) process.on("exit", doAll);
  isListening = true;
  tasks.add(task);
  return () => tasks.delete(task);
}

/** The last ones first: a folder is removed after what works in it has been ended. */
function doAll(): void {
  for (const task of [...tasks].reverse()) {
    try {
      task();
    } catch {
      // The others have their turn all the same.
    }
  }
}
