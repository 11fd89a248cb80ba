/** The public face of the media inspector. */
export { createMediaInspector } from "./media-inspector.ts"
export { DEFAULTS, type MediaInspectorOptions } from "./options.ts"
