/**
 * Access over a storage in memory, called in process: a manual clock, one account with a key, and one
 * finished task whose artifact its links are about.
 */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import {
  createAccess,
  createLinkKey,
  toSignedLinkText,
  type AccessSettings,
  type LinkClaim,
} from "@safelight/access"
import type { LinkedArtifact } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import { createFakeService, putArtifact, taskId } from "../adapters/http/fake-service.ts"
import { ACCOUNT, createFakeStorage, type FakeStorage } from "../adapters/http/fake-storage.ts"

/** When the world begins, in Unix seconds. */
export const START = 1_767_225_600
const THREE_DAYS_MS = 3 * 86_400_000

export interface AccessWorldOptions {
  readonly settings?: Partial<AccessSettings>
  /** Another world's, as another node of the service would share it. */
  readonly shared?: FakeStorage
}

/** A link as somebody asks for it. */
export interface AskedLink {
  readonly token: string
  readonly task: string
  readonly key: string
}

export function openAccess({
  settings = {},
  shared = createFakeStorage(),
}: AccessWorldOptions = {}) {
  const fake = createFakeService()
  const clock = createManualClock()
  const { storage } = shared
  const access = createAccess({ storage, service: fake.service, clock, settings })
  const expiresAt = START * 1_000 + THREE_DAYS_MS
  putArtifact(fake, new Uint8Array(3), { expiresAt })

  /** The code that a key is refused with; "authenticated" where it is not. */
  async function tell(key: string): Promise<string> {
    const answer = await access.authenticate({ authorization: `Bearer ${key}` })
    return answer.kind === "refused" ? answer.code : answer.kind
  }

  async function makeLink(task = taskId(1), account = ACCOUNT): Promise<AskedLink> {
    const artifact = { task, key: "image_1", expiresAt }
    const link = await access.createLink({ account, artifact, now: clock.now() })
    assert.ok(link)
    return { token: link.token, task, key: artifact.key }
  }

  function open({ token, task, key }: AskedLink): Promise<LinkedArtifact | undefined> {
    return access.openLink({ access: [token], task, key, now: clock.now() })
  }

  const key = shared.keys.add()
  return { access, clock, fake, shared, ...shared, storage, key, tell, makeLink, open }
}

export type AccessWorld = ReturnType<typeof openAccess>

/** A signing key for tests to store. */
export const LINK_KEY = createLinkKey(new Uint8Array(64).fill(9), 0)

/** A link to the artifact, signed as the service would with `LINK_KEY`. */
export function forgeLink(): AskedLink {
  const names = { account: ACCOUNT, task: taskId(1), key: "image_1" }
  const claim: LinkClaim = { ...names, kid: LINK_KEY.id, exp: START + 60, epoch: 0 }
  const mac = createHmac("sha256", Buffer.from(LINK_KEY.secret, "hex"))
  const signature = mac.update(toSignedLinkText(claim)).digest("base64url")
  return { ...names, token: `v1.${claim.kid}.${claim.exp}.${claim.epoch}.${signature}` }
}

export async function assertOpens({ open }: AccessWorld, link: AskedLink): Promise<void> {
  const { key, task } = (await open(link))?.artifact ?? {}
  assert.deepEqual({ key, task }, { key: link.key, task: link.task })
}

export async function assertNothing({ open }: AccessWorld, link: AskedLink): Promise<void> {
  assert.equal(await open(link), undefined)
}
