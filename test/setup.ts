// Runs before each test file.
import { watchFile } from "./cleanup.ts";

watchFile();
