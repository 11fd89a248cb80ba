/**
 * The public face of the painter. Importing it loads sharp, but no video or sound encoder: those are loaded by
 * the first film. A process that must not decode untrusted bytes imports types from here and nothing else.
 */
export { GRADE_WORDS } from "./image/grade-words.ts"
export { renderEdit, type EditRequest } from "./image/render-edit.ts"
export { renderPicture } from "./image/render-picture.ts"
export type { MediaReading, ReadMedia } from "./drawing/read-media.ts"
export type { ReferenceSound, ReferenceVideo } from "./video/reference.ts"
export { renderVideo, type VideoRequest } from "./video/render-video.ts"
