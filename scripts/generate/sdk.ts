// First step of `npm run generate`: what the SDK is made of. It must not load the SDK, which may not compile without it.
import { sdkFiles } from "./sdk-files.ts";
import { writeFiles } from "./write-files.ts";

writeFiles(sdkFiles());
