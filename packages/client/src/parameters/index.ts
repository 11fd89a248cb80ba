/**
 * Options that a caller has for all models, as the parameters of one: for programs that translate from another API's
 * words.
 */
export { COUNT_NAMES, divide, findCount } from "./count.ts"
export {
  createDraft,
  findChoice,
  findModelOption,
  findParameter,
  place,
  warn,
  type Draft,
  type ModelOption,
  type OptionWarning,
  type ParameterSchema,
} from "./draft.ts"
export {
  addMedia,
  findMedia,
  isList,
  isMask,
  placeFirstFrame,
  placeLastFrame,
  placeMask,
  placePictures,
  type MediaType,
} from "./media.ts"
export {
  ASPECT_RATIO_NAMES,
  hasNamedSizes,
  SIZE_NAMES,
  toAspectRatio,
  toNamedRatio,
  toRatioOf,
  toResolution,
  toSize,
} from "./picture-shape.ts"
export { hasResolution, placeDuration, placeRatioOf, placeResolution } from "./video-shape.ts"
