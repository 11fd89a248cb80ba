/**
 * `s3://bucket/prefix?endpoint=…&region=…` as a setting, which says where the bucket is and holds no secret.
 * A URL with a password or an unknown parameter is refused, and neither is repeated, since errors end up in logs.
 * Errors use the names in the URL (`path-style`), not those of our options.
 */
import { isSafelightError } from "@safelight/core"
import { toBucketAddress, type LocationNames, type S3Location } from "./s3-location.ts"
import { createMisconfigured } from "./refusals.ts"

const PARAMETERS: ReadonlySet<string> = new Set(["endpoint", "region", "path-style"])

const URL_NAMES: LocationNames = {
  bucket: "the bucket",
  endpoint: "endpoint",
  region: "region",
  prefix: "the path",
  isPathStyle: "path-style",
}

/**
 * A location that `createS3Artifacts` takes. Throws `invalid-configuration` with a message that begins with
 * `name`, which may be the name of a setting.
 */
export function parseS3Url(text: string, name = "the artifacts' URL"): S3Location {
  const url = toUrl(text, name)
  assertParameters(url.searchParams, name)
  const prefix = url.pathname.slice(1)
  const endpoint = url.searchParams.get("endpoint")
  const region = url.searchParams.get("region")
  const pathStyle = url.searchParams.get("path-style")
  const location = {
    bucket: url.hostname,
    ...(prefix === "" ? {} : { prefix }),
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    ...(pathStyle === null ? {} : { isPathStyle: pathStyle === "true" }),
  }
  assertLocation(location, name)
  return location
}

function toUrl(text: string, name: string): URL {
  const url = URL.parse(text)
  if (url === null || url.protocol !== "s3:" || url.hostname === "") {
    throw createMisconfigured(`${name} must be s3://bucket/prefix`)
  }
  if (url.username !== "" || url.password !== "") {
    throw createMisconfigured(`${name} must hold no user name or password`)
  }
  if (url.port !== "" || url.hash !== "") {
    throw createMisconfigured(`${name} must hold no port and no fragment`)
  }
  return url
}

function assertParameters(parameters: URLSearchParams, name: string): void {
  for (const parameter of parameters.keys()) {
    if (!PARAMETERS.has(parameter) || parameters.getAll(parameter).length > 1) {
      const known = [...PARAMETERS].join(", ")
      throw createMisconfigured(`${name} may hold, once each: ${known}`)
    }
  }
  const pathStyle = parameters.get("path-style") ?? "true"
  if (pathStyle !== "true" && pathStyle !== "false") {
    throw createMisconfigured(`${name}: ${URL_NAMES.isPathStyle} must be true or false`)
  }
}

function assertLocation(location: S3Location, name: string): void {
  try {
    toBucketAddress(location, URL_NAMES)
  } catch (error) {
    throw isSafelightError(error) ? createMisconfigured(`${name}: ${error.message}`) : error
  }
}
