/** The exports of the S3 adapter: one factory, its options, and the URL that they can be read from. */
export { createS3Artifacts, type S3Artifacts } from "./s3-artifacts.ts"
export { DEFAULTS } from "./defaults.ts"
export { parseS3Url } from "./s3-url.ts"
export type { S3Location } from "./s3-location.ts"
export type {
  S3ArtifactsOptions,
  S3Clock,
  S3Credentials,
  S3CredentialsProvider,
} from "./s3-options.ts"
