/** The exports of the S3 adapter: its factories, their options, and the URL that these can be read from. */
export {
  createS3Artifacts,
  createS3Objects,
  type S3Artifacts,
  type S3Objects,
} from "./s3-artifacts.ts"
export { DEFAULTS } from "./defaults.ts"
export { findHarmfulRules, type HarmfulRule } from "./harmful-rules.ts"
export { parseS3Url } from "./s3-url.ts"
export type { S3Location } from "./s3-location.ts"
export type {
  S3ArtifactsOptions,
  S3Clock,
  S3Credentials,
  S3CredentialsProvider,
} from "./s3-options.ts"
