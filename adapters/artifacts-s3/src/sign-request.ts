/**
 * Signs a request (AWS Signature Version 4). The body goes in as its SHA-256, which the server
 * compares with what arrived: a part that was damaged on its way is refused. Each try is signed
 * anew, since a signature holds for 15 minutes only.
 */
import { AwsV4Signer } from "aws4fetch"
import type { S3Credentials } from "./s3-options.ts"

export interface SigningRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** 64 lower-case hexadecimal digits. */
  readonly bodySha256: string
}

export interface SignerOptions {
  readonly credentials: S3Credentials
  readonly region: string
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
}

/** Resolves to all headers to send. */
export type Signer = (request: SigningRequest) => Promise<Readonly<Record<string, string>>>

export function createSigner({ credentials, region, now }: SignerOptions): Signer {
  /** The key of the day, which is derived from the secret by four rounds. */
  const cache = new Map<string, ArrayBuffer>()

  return async (request) => {
    const signer = new AwsV4Signer({
      method: request.method,
      url: request.url,
      headers: { ...request.headers, "x-amz-content-sha256": request.bodySha256 },
      ...credentials,
      region,
      service: "s3",
      datetime: new Date(now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
      cache,
    })
    const { headers } = await signer.sign()
    return Object.fromEntries(headers)
  }
}
