/**
 * `s3://bucket/prefix?endpoint=…&region=…` as a setting: where the bucket is, and nothing secret. A
 * URL that holds a password is refused, as is any parameter but the known ones, without a word of
 * what they held: such a line ends up in logs and process lists.
 */
import type { S3Location } from "./s3-options.ts"
import { createMisconfigured } from "./storage-failure.ts"

const PARAMETERS: ReadonlySet<string> = new Set(["endpoint", "region", "path-style"])

/** Throws `invalid-configuration`; the values themselves are checked by `createS3Artifacts`. */
export function parseS3Url(text: string): S3Location {
  const url = URL.parse(text)
  if (url === null || url.protocol !== "s3:" || url.hostname === "") {
    throw createMisconfigured("the artifacts' URL must be s3://bucket/prefix")
  }
  if (url.username !== "" || url.password !== "") {
    throw createMisconfigured("the artifacts' URL must hold no user name or password")
  }
  if (url.port !== "" || url.hash !== "") {
    throw createMisconfigured("the artifacts' URL must hold no port and no fragment")
  }
  assertParameters(url.searchParams)
  const prefix = url.pathname.slice(1)
  const endpoint = url.searchParams.get("endpoint")
  const region = url.searchParams.get("region")
  const pathStyle = url.searchParams.get("path-style")
  return {
    bucket: url.hostname,
    ...(prefix === "" ? {} : { prefix }),
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    ...(pathStyle === null ? {} : { isPathStyle: pathStyle === "true" }),
  }
}

function assertParameters(parameters: URLSearchParams): void {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name) || parameters.getAll(name).length > 1) {
      const known = [...PARAMETERS].join(", ")
      throw createMisconfigured(`the artifacts' URL may hold, once each: ${known}`)
    }
  }
  const pathStyle = parameters.get("path-style") ?? "true"
  if (pathStyle !== "true" && pathStyle !== "false") {
    throw createMisconfigured("the artifacts' URL's path-style must be true or false")
  }
}
