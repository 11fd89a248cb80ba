/** The public face of the provider. Every export is named here, and a test holds the list. */
export { createSafelight, type SafelightProvider } from "./create-safelight.ts"
export type { SafelightSettings } from "./calls/service.ts"
export type { SafelightOptions } from "./calls/call-options.ts"
export type { MadeFile } from "./tasks/collect-files.ts"
