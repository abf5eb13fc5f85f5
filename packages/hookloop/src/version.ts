/** The one version of both packages; a test keeps it equal to package.json. */
export const VERSION = "0.1.0";
