/**
 * A world with one finished task and the calls that its links are about. Addresses that are
 * answered name the public URL; `toPath` gives what a client of the world asks.
 */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { createLinkKey, toSignedLinkText, type LinkClaim } from "@safelight/access"
import { ACCOUNT, putArtifact, taskId } from "./fake-service.ts"
import { createWorld, type Call, type World, type WorldOptions, type WORLDS } from "./worlds.ts"

export const BYTES = Uint8Array.from({ length: 1000 }, (_, index) => index % 251)
export const TASK = `/v1/tasks/${taskId(1)}`
export const ARTIFACT = `${TASK}/artifacts/image_1`
export const CONTENT = `${ARTIFACT}/content`
export const LINKS = `${ARTIFACT}/links`
/** When the world begins, in Unix seconds. */
export const START = 1_767_225_600
export const DAY = 86_400

const PUBLIC_URL = "https://media.example"

export type LinkWorld = World & AsyncDisposable

/** The artifact lives for three days. */
export async function openLinkWorld(
  kind: (typeof WORLDS)[number],
  options?: WorldOptions,
): Promise<LinkWorld> {
  const world = await createWorld(kind, options)
  putArtifact(world.fake, BYTES, { expiresAt: (START + 3 * DAY) * 1_000 })
  return { ...world, [Symbol.asyncDispose]: world.close }
}

export interface MadeLink {
  readonly url: string
  readonly expires_at: number
}

export async function makeLink(world: World, path = LINKS): Promise<MadeLink> {
  const response = await world.call(path, { method: "POST" })
  const text = await response.text()
  assert.equal(response.status, 201, text)
  return JSON.parse(text) as MadeLink
}

export function toPath(url: string): string {
  assert.ok(url.startsWith(`${PUBLIC_URL}/v1/`), url)
  return url.slice(PUBLIC_URL.length)
}

/** The path of a new link to the artifact. */
export async function makePath(world: World, path = LINKS): Promise<string> {
  return toPath((await makeLink(world, path)).url)
}

export function toToken(path: string): string {
  return new URL(path, PUBLIC_URL).searchParams.get("access") ?? ""
}

/** A signing key for tests to store. */
export const KEY = createLinkKey(new Uint8Array(64).fill(9), 0)

/** A token for the artifact, signed as the service would with `KEY`; `changes` make it a lie. */
export function forge(changes: Partial<LinkClaim & { secret: string }> = {}): string {
  const { secret = KEY.secret, ...other } = changes
  const claim = {
    account: ACCOUNT,
    task: taskId(1),
    key: "image_1",
    kid: KEY.id,
    exp: START + 60,
    epoch: 0,
    ...other,
  }
  const mac = createHmac("sha256", Buffer.from(secret, "hex")).update(toSignedLinkText(claim))
  return `v1.${claim.kid}.${claim.exp}.${claim.epoch}.${mac.digest("base64url")}`
}

export async function readAnswer(response: Promise<Response>): Promise<{
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}> {
  const { status, headers, ...rest } = await response.then(async (got) => ({
    status: got.status,
    headers: Object.fromEntries(got.headers),
    body: Buffer.from(await got.arrayBuffer()).toString("latin1"),
  }))
  // What is the request's or the connection's own.
  for (const name of ["x-request-id", "date", "connection", "keep-alive", "transfer-encoding"]) {
    delete headers[name]
  }
  return { status, headers, ...rest }
}

export async function assertOpens(world: World, path: string, call: Call = {}): Promise<void> {
  const { status, body } = await readAnswer(world.bare(path, call))
  assert.equal(status, 200, body)
  assert.equal(body, Buffer.from(BYTES).toString("latin1"))
}

/** The one answer of every link that opens nothing. */
export async function assertNothing(world: World, path: string, call: Call = {}): Promise<void> {
  const { status, headers, body } = await readAnswer(world.bare(path, call))
  delete headers["content-length"]
  assert.deepEqual(
    { status, headers, body },
    {
      status: 404,
      headers: {
        "access-control-allow-origin": "*",
        "access-control-expose-headers":
          "Content-Range, Content-Length, Accept-Ranges, ETag, Repr-Digest",
        "cache-control": "no-store",
        "content-type": "application/json; charset=utf-8",
        "x-content-type-options": "nosniff",
      },
      body:
        call.method === "HEAD"
          ? ""
          : '{"error":{"message":"There is nothing at this link.",' +
            '"type":"not_found_error","code":"not_found"}}',
    },
  )
}
