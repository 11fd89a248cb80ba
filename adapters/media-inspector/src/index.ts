/** The public face of the media inspector. */
export { DEFAULTS } from "./defaults.ts"
export { createMediaInspector } from "./media-inspector.ts"
export type { MediaInspectorOptions } from "./options.ts"
