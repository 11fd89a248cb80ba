/** The exports of the artifact storage: one factory over a driver, and what drivers are written with. */
export { createArtifactStorage, DEFAULTS, type ArtifactStorageOptions } from "./artifact-storage.ts"
export type {
  ArtifactDriver,
  ObjectRange,
  ObjectReader,
  ObjectWriter,
  UnfinishedObject,
} from "./driver.ts"
export { createChunkReader } from "./chunk-reader.ts"
export { createMissing, createUnavailable } from "./failures.ts"
export { followPages, type Paging } from "./follow-pages.ts"
export { toRangeHeader, toTotalBytes, type RangeAnswer } from "./range-answer.ts"
export {
  createRequests,
  type Pause,
  type Refusal,
  type Requests,
  type RequestsOptions,
  type StorageRequest,
} from "./requests.ts"
