/**
 * Checks a request as S3 does (AWS Signature Version 4, with the digest of the body), written from
 * its description and not with the library that signs, so that the two can disagree.
 */
import { createHmac, hash } from "node:crypto"
import type { IncomingMessage } from "node:http"

export interface SignedRequest {
  readonly request: Pick<IncomingMessage, "headers" | "method">
  readonly body: Buffer
  readonly url: URL
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(.+?)\/(.+), SignedHeaders=(.+), Signature=(.+)$/

/** What is wrong with a signature or a digest, by S3's code for it. */
export function findForgery(signed: SignedRequest): string | undefined {
  const { headers } = signed.request
  if (headers["x-amz-content-sha256"] !== hash("sha256", signed.body)) {
    return "XAmzContentSHA256Mismatch"
  }
  const [, id, scope = "", names = "", signature] =
    AUTHORIZATION.exec(headers.authorization ?? "") ?? []
  if (id !== signed.credentials.accessKeyId) return "InvalidAccessKeyId"
  // Whatever of Amazon's is sent has to be signed, and so has the host.
  const due = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))]
  if (due.some((name) => !names.split(";").includes(name))) return "AccessDenied"
  if (headers["x-amz-security-token"] !== signed.credentials.sessionToken) return "InvalidToken"
  return sign(signed, scope, names) === signature ? undefined : "SignatureDoesNotMatch"
}

/** `scope` is `day/region/service/aws4_request`, `names` are those of the signed headers. */
export function sign(signed: SignedRequest, scope: string, names: string): string {
  const { headers, method = "" } = signed.request
  const query = [...signed.url.searchParams].map(
    ([name, value]) => `${encode(name)}=${encode(value)}`,
  )
  const path = signed.url.pathname.split("/").map((name) => encode(decodeURIComponent(name)))
  const canonical = [
    method,
    path.join("/"),
    query.toSorted().join("&"),
    ...names.split(";").map((name) => `${name}:${String(headers[name])}`),
    "",
    names,
    hash("sha256", signed.body),
  ]
  const date = String(headers["x-amz-date"])
  const text = ["AWS4-HMAC-SHA256", date, scope, hash("sha256", canonical.join("\n"))].join("\n")
  const [day = "", ...words] = scope.split("/")
  let key = createHmac("sha256", `AWS4${signed.credentials.secretAccessKey}`).update(day).digest()
  for (const word of words) {
    key = createHmac("sha256", key).update(word).digest()
  }
  return createHmac("sha256", key).update(text).digest("hex")
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
