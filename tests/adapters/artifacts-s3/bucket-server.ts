/**
 * A bucket in memory that a test lets behave as it likes. Left alone it is honest, and stricter than
 * most: it checks every signature by code of its own and every body against its digest, and hands
 * out short pages. `act` is asked before each request is served and may serve it otherwise.
 */
import { createHash } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { TestContext } from "node:test"
import type { S3ArtifactsOptions, S3Credentials } from "@safelight/artifacts-s3"
import { serve, type LocalServer } from "../../support/misbehaving-server.ts"
import { findForgery } from "./aws-signature.ts"

export const BUCKET = "artifacts"
export const CREDENTIALS = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "Session/Token+Example==",
} as const

export type Operation =
  | "AbortMultipartUpload"
  | "CompleteMultipartUpload"
  | "CreateMultipartUpload"
  | "DeleteObject"
  | "GetObject"
  | "HeadObject"
  | "ListMultipartUploads"
  | "ListObjects"
  | "PutObject"
  | "UploadPart"

export interface Exchange {
  readonly operation: Operation
  /** Below the bucket. */
  readonly key: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly body: Buffer
  readonly response: ServerResponse
  /** How often this operation was asked for before, and where it is a part this part. */
  readonly before: number
  /** Serves it honestly. */
  serve(): void
}

export interface Upload {
  readonly key: string
  readonly parts: Map<number, Buffer>
  initiatedAt: number
}

export interface BucketServer extends LocalServer {
  readonly options: S3ArtifactsOptions
  readonly objects: Map<string, Buffer>
  readonly uploads: Map<string, Upload>
  /** Of every request, in order of arrival. */
  readonly operations: Operation[]
  act: (exchange: Exchange) => void | Promise<void>
  /** The only ones that are good now. */
  readonly credentials: S3Credentials & { readonly sessionToken: string }
  /** Refuses the session of those that were good so far, and gives others. */
  endSession(): void
}

/** Two a page: every list of a test is longer. */
const PAGE_SIZE = 2

export async function serveBucket(context: TestContext): Promise<BucketServer> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Upload>()
  const operations: Operation[] = []
  const counts = new Map<string, number>()
  const ended = new Set<unknown>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "http://bucket")
    const operation = toOperation(request.method ?? "", url.searchParams)
    const name = `${operation} ${url.searchParams.get("partNumber") ?? ""}`
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    operations.push(operation)
    const body = await readBody(request)
    const key = decodeURIComponent(url.pathname).slice(`/${BUCKET}/`.length)
    const exchange = { operation, key, query: url.searchParams, request, body, response, before }
    const refused = findForgery({ request, body, url, credentials: server.credentials })
    if (ended.has(request.headers["x-amz-security-token"])) refuse(response, 400, "ExpiredToken")
    else if (refused !== undefined) refuse(response, 403, refused)
    else if (!url.pathname.startsWith(`/${BUCKET}`)) refuse(response, 404, "NoSuchBucket")
    else await server.act({ ...exchange, serve: () => HONEST[operation](exchange, server) })
  }

  const local = await serve(context, (request, response) => {
    // A client that hangs up in the middle has its reasons.
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  let { credentials }: Pick<BucketServer, "credentials"> = { credentials: CREDENTIALS }
  const server: BucketServer = {
    ...local,
    get credentials() {
      return credentials
    },
    endSession() {
      ended.add(credentials.sessionToken)
      const session = `AFTER-${ended.size}`
      credentials = { accessKeyId: session, secretAccessKey: session, sessionToken: session }
    },
    objects,
    uploads,
    operations,
    options: { bucket: BUCKET, endpoint: local.origin, credentials: CREDENTIALS },
    act: (exchange) => exchange.serve(),
  }
  return server
}

/** Answers with an error document as S3 writes them, secrets included. */
export function refuse(response: ServerResponse, status: number, code: string): void {
  const details = `<Message>see ${CREDENTIALS.accessKeyId}</Message><StringToSign>AWS4 secret</StringToSign>`
  response.writeHead(status, { "content-type": "application/xml" })
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code>${details}</Error>`,
  )
}

type Serve = (exchange: Omit<Exchange, "serve">, server: BucketServer) => void

const HONEST: Readonly<Record<Operation, Serve>> = {
  PutObject({ key, request, body, response }, { objects }) {
    const isTaken = request.headers["if-none-match"] === "*" && objects.has(key)
    if (isTaken) return refuse(response, 412, "PreconditionFailed")
    objects.set(key, body)
    response.setHeader("etag", toEtag(body)).end()
  },
  HeadObject({ key, response }, { objects }) {
    const object = objects.get(key)
    response.statusCode = object === undefined ? 404 : 200
    if (object !== undefined) response.setHeader("content-length", object.byteLength)
    response.end()
  },
  DeleteObject({ key, response }, { objects }) {
    objects.delete(key)
    response.writeHead(204).end()
  },
  GetObject: serveObject,
  CreateMultipartUpload({ key, response }, { uploads }) {
    const id = `upload ${uploads.size + 1} & "more"/=+`
    uploads.set(id, { key, parts: new Map(), initiatedAt: Date.now() })
    const element = `<UploadId>${escape(id)}</UploadId>`
    response.end(`<InitiateMultipartUploadResult>${element}</InitiateMultipartUploadResult>`)
  },
  UploadPart({ query, body, response }, { uploads }) {
    const upload = uploads.get(query.get("uploadId") ?? "")
    if (upload === undefined) return refuse(response, 404, "NoSuchUpload")
    upload.parts.set(Number(query.get("partNumber")), body)
    response.setHeader("etag", toEtag(body)).end()
  },
  CompleteMultipartUpload({ key, query, body, response }, { objects, uploads }) {
    const id = query.get("uploadId") ?? ""
    const upload = uploads.get(id)
    if (upload === undefined) return refuse(response, 404, "NoSuchUpload")
    const named = body.toString().split("<Part>").slice(1)
    const parts = named.map((element) => {
      const [, number] = /<PartNumber>(\d+)</.exec(element) ?? []
      const [, etag = ""] = /<ETag>(.*?)</.exec(element) ?? []
      const part = upload.parts.get(Number(number))
      return part !== undefined && toEtag(part) === etag.replaceAll("&quot;", '"')
        ? part
        : undefined
    })
    const whole = parts.filter((part) => part !== undefined)
    if (whole.length === 0 || whole.length < parts.length)
      return refuse(response, 400, "InvalidPart")
    if (whole.slice(0, -1).some((part) => part.byteLength < 5 * 1024 * 1024)) {
      return refuse(response, 400, "EntityTooSmall")
    }
    objects.set(key, Buffer.concat(whole))
    uploads.delete(id)
    response.end("<CompleteMultipartUploadResult><Key>k</Key></CompleteMultipartUploadResult>")
  },
  AbortMultipartUpload({ query, response }, { uploads }) {
    if (!uploads.delete(query.get("uploadId") ?? "")) return refuse(response, 404, "NoSuchUpload")
    response.writeHead(204).end()
  },
  ListObjects({ query, response }, { objects }) {
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? ""))
    const after = query.get("continuation-token") ?? ""
    const rest = keys.toSorted().filter((key) => `after ${key} & +/=` > after)
    const page = rest.slice(0, PAGE_SIZE)
    const contents = page.map((key) => `<Contents><Key>${escape(key)}</Key></Contents>`).join("")
    const next =
      page.length < rest.length
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${escape(`after ${page.at(-1)} & +/=`)}</NextContinuationToken>`
        : "<IsTruncated>false</IsTruncated>"
    response.end(`<ListBucketResult xmlns="s3">${next}${contents}</ListBucketResult>`)
  },
  ListMultipartUploads({ query, response }, { uploads }) {
    const all = [...uploads].filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""))
    const marker = query.get("upload-id-marker")
    const rest = all.slice(all.findIndex(([id]) => id === marker) + 1)
    const page = rest.slice(0, PAGE_SIZE)
    const elements = page.map(([id, { key, initiatedAt }]) => {
      const started = new Date(initiatedAt).toISOString()
      return `<Upload><Key>${escape(key)}</Key><UploadId>${escape(id)}</UploadId><Initiated>${started}</Initiated></Upload>`
    })
    const last = page.at(-1)
    const next =
      last !== undefined && page.length < rest.length
        ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${escape(last[1].key)}</NextKeyMarker><NextUploadIdMarker>${escape(last[0])}</NextUploadIdMarker>`
        : "<IsTruncated>false</IsTruncated>"
    response.end(
      `<ListMultipartUploadsResult>${next}${elements.join("")}</ListMultipartUploadsResult>`,
    )
  },
}

function serveObject(
  { key, request, response }: Omit<Exchange, "serve">,
  { objects }: BucketServer,
): void {
  const object = objects.get(key)
  if (object === undefined) return refuse(response, 404, "NoSuchKey")
  const etag = toEtag(object)
  const match = request.headers["if-match"]
  if (match !== undefined && match !== etag) return refuse(response, 412, "PreconditionFailed")
  response.setHeader("etag", etag)
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? []
  if (first === undefined) {
    response.writeHead(200, { "content-length": object.byteLength }).end(object)
    return
  }
  const end = last === "" ? object.byteLength - 1 : Math.min(Number(last), object.byteLength - 1)
  if (Number(first) > end) return refuse(response, 416, "InvalidRange")
  response.writeHead(206, {
    "content-length": end - Number(first) + 1,
    "content-range": `bytes ${first}-${end}/${object.byteLength}`,
  })
  response.end(object.subarray(Number(first), end + 1))
}

function toOperation(method: string, query: URLSearchParams): Operation {
  const isUpload = query.has("uploadId")
  if (method === "PUT") return isUpload ? "UploadPart" : "PutObject"
  if (method === "POST") return isUpload ? "CompleteMultipartUpload" : "CreateMultipartUpload"
  if (method === "DELETE") return isUpload ? "AbortMultipartUpload" : "DeleteObject"
  if (method === "HEAD") return "HeadObject"
  if (query.has("uploads")) return "ListMultipartUploads"
  return query.has("list-type") ? "ListObjects" : "GetObject"
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}

/** Wide enough for parts of megabytes: no secret. */
export function toEtag(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`
}
