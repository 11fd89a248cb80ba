/**
 * s3rver 3.7.1 in this process, with what it lacks of S3 mended: it takes an object for stored
 * before its file is written, shows one that is only half sent, removes folders under a put that is
 * about to write into them (which ends the process), reads `bytes=0-0` as everything, has a byte in
 * an empty object, can neither abandon nor list uploads, fails where more objects follow than it lists, and stores whatever `If-None-Match` says. Signatures it does not check at all:
 * that is for `bucket-server.ts`.
 */
import { createHash, randomUUID } from "node:crypto"
import { createReadStream, createWriteStream, type ReadStream } from "node:fs"
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Transform, type Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { S3ArtifactsOptions } from "@safelight/artifacts-s3"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const BUCKET = "artifacts"

interface StoredObject {
  readonly bucket: string
  readonly key: string
  readonly metadata: object
  readonly size: number
  content: Readable | null
  range?: { readonly start: number; readonly end: number }
}

interface Range {
  readonly start?: number
  readonly end?: number
}

interface Store {
  getResourcePath(bucket: string, key: string | undefined, resource: string): string
  putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>
  getObject(bucket: string, key: string, options: Range): Promise<StoredObject | null>
  putObject(object: StoredObject): Promise<Written>
  putPart(bucket: string, id: string, part: string, content: Readable): Promise<Written>
  deleteObject(bucket: string, key: string): Promise<void>
  listObjects(bucket: string, options: { readonly maxKeys: number }): Promise<Listing>
}

interface Listing {
  readonly isTruncated: boolean
}

interface Written {
  readonly size: number
  readonly md5: string
}

interface Exchange {
  readonly method: string
  /** Decoded. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  status: number
  body: unknown
  get(header: string): string
}

interface Server {
  readonly store: Store
  readonly middleware: ((exchange: Exchange, next: () => Promise<void>) => Promise<void>)[]
  run(): Promise<AddressInfo>
  close(): Promise<void>
}

const S3rver = createRequire(import.meta.url)("s3rver") as new (options: object) => Server

export interface RunningBucket extends AsyncDisposable {
  /** To reach it; it is empty at first. */
  readonly options: S3ArtifactsOptions
}

export async function startS3rver(): Promise<RunningBucket> {
  const folder = await createTemporaryFolder()
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    directory: folder.path,
    silent: true,
    configureBuckets: [{ name: BUCKET }],
  })
  mendStore(server.store)
  // In place of the first, which logs requests, also after the log was closed.
  server.middleware[0] = createUploadRoutes(server.store)
  server.middleware.splice(1, 0, createConditionalPut(server.store))
  const { port } = await server.run()
  return {
    options: {
      bucket: BUCKET,
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function mendStore(store: Store): void {
  const getObject = store.getObject.bind(store)
  store.getObject = async (bucket, key, options) => {
    const isFirstByte = options.start === 0 && options.end === 0
    const object = await getObject(bucket, key, isFirstByte ? { start: 0, end: 1 } : options)
    if (object?.range === undefined) return object
    if (object.size === 0) replaceContent(object, null)
    else if (isFirstByte) {
      const path = store.getResourcePath(bucket, key, "object")
      replaceContent(object, createReadStream(path, { start: 0, end: 0 }))
      object.range = { start: 0, end: 0 }
    }
    return object
  }
  const listObjects = store.listObjects.bind(store)
  store.listObjects = async (bucket, options) => {
    const listing = await listObjects(bucket, options)
    // Whoever asks for so few wants no more.
    return options.maxKeys < 1_000 ? { ...listing, isTruncated: false } : listing
  }
  store.putObject = async (object) => {
    const { bucket, key } = object
    const written = await write(object.content, store.getResourcePath(bucket, key, "object"))
    await store.putMetadata(bucket, key, object.metadata, written.md5)
    return written
  }
  store.putPart = (bucket, id, part, content) =>
    write(content, join(store.getResourcePath(bucket, undefined, "uploads"), id, part))
  store.deleteObject = async (bucket, key) => {
    const kinds = ["object", "object.md5", "metadata.json"]
    await Promise.all(
      kinds.map((kind) => rm(store.getResourcePath(bucket, key, kind), { force: true })),
    )
  }
}

function replaceContent(object: StoredObject, content: ReadStream | null): void {
  object.content?.destroy()
  object.content = content
}

/** Under another name until it is whole. */
async function write(content: Readable | null, path: string): Promise<Written> {
  const incoming = `${path}.${randomUUID()}`
  const md5 = createHash("md5")
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      md5.update(chunk)
      size += chunk.byteLength
      callback(null, chunk)
    },
  })
  await mkdir(dirname(path), { recursive: true })
  await pipeline(content ?? [], measure, createWriteStream(incoming))
  await rename(incoming, path)
  return { size, md5: md5.digest("hex") }
}

/** What s3rver answers with 405 and 501: to abandon an upload, and to list them. */
function createUploadRoutes(store: Store): Server["middleware"][number] {
  const folder = store.getResourcePath(BUCKET, undefined, "uploads")

  return async (exchange, next) => {
    const { method, query } = exchange
    if (method === "DELETE" && query["uploadId"] !== undefined) {
      await rm(join(folder, query["uploadId"]), { recursive: true })
      exchange.status = 204
    } else if (method === "GET" && query["uploads"] !== undefined) {
      exchange.body = await listUploads(folder)
    } else {
      await next()
    }
  }
}

/** `If-None-Match: *`: of several at once one stores, the others conflict. */
function createConditionalPut(store: Store): Server["middleware"][number] {
  const underWay = new Set<string>()

  return async (exchange, next) => {
    const { method, path } = exchange
    if (method !== "PUT" || exchange.get("if-none-match") !== "*") return next()
    if (underWay.has(path)) return refuse(exchange, 409, "ConditionalRequestConflict")
    underWay.add(path)
    try {
      const file = store.getResourcePath(BUCKET, path.slice(`/${BUCKET}/`.length), "object")
      const isThere = await stat(file).then(
        () => true,
        () => false,
      )
      if (isThere) refuse(exchange, 412, "PreconditionFailed")
      else await next()
    } finally {
      underWay.delete(path)
    }
  }
}

function refuse(exchange: Exchange, status: number, code: string): void {
  exchange.status = status
  exchange.body = `<Error><Code>${code}</Code></Error>`
}

async function listUploads(folder: string): Promise<string> {
  const ids = await readdir(folder).catch(() => [])
  const uploads = ids.map(async (id) => {
    const key = await readFile(join(folder, id, "key"), "utf8")
    const { birthtime } = await stat(join(folder, id))
    const started = `<Initiated>${birthtime.toISOString()}</Initiated>`
    return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId>${started}</Upload>`
  })
  const listed = (await Promise.all(uploads)).join("")
  return `<ListMultipartUploadsResult>${listed}<IsTruncated>false</IsTruncated></ListMultipartUploadsResult>`
}
