/** The public face of the studio channel. */
export { createStudioChannel } from "./channel.ts"
export { DEFAULTS } from "./defaults.ts"
export { readPrompt, type Directives, type ReadPrompt } from "./directives.ts"
export type { StudioOptions } from "./options.ts"
export type { MediaLimits } from "./reference-media.ts"
export { STUDIO_MODELS } from "./request-plan.ts"
