/**
 * Private links to artifacts (http-decisions §6): makes their tokens, and opens an artifact by one. A link
 * that was not signed here costs one read and one MAC, whether or not the artifact exists, so that neither
 * the answer nor its time reveals more. Only `lookupsAtOnce` of those are read at a time.
 */
import {
  createBoundedCache,
  isSafelightError,
  isTaskId,
  LINK_SECONDS,
  NO_LIMITS,
  toUnixSeconds,
  type AccountStorage,
  type Artifact,
  type CreateLinkRequest,
  type Semaphore,
  type LinkAccess,
  type LinkEpochRequest,
  type LinkStorage,
  type OpenLinkRequest,
  type Task,
  type TaskService,
} from "@safelight/core"
import type { AccessSettings } from "../settings/defaults.ts"
import { formatAccessToken, parseAccessToken, type AccessToken } from "./access-token.ts"
import type { LinkKeys } from "./link-keys.ts"
import { signClaim, verifyClaim } from "./link-mac.ts"

export interface PrivateLinksOptions {
  readonly service: Pick<TaskService, "findLinked">
  readonly storage: Pick<LinkStorage, "raiseLinkEpoch" | "readLinkEpoch"> &
    Pick<AccountStorage, "findAccount">
  readonly keys: LinkKeys
  readonly settings: Pick<AccessSettings, "cachedLinks">
  /** Bounds the look-ups of links that are not known to be signed. */
  readonly unknownLinks: Semaphore
}

/** Used if the artifact does not exist, so that verifying the MAC takes as long. */
const NOBODYS = { account: "", key: "none" }

/** Its methods reject with what the storage and the service reject with. */
export function createPrivateLinks(options: PrivateLinksOptions): LinkAccess {
  const { service, storage, keys, settings, unknownLinks } = options
  /** Links found to be signed with a key of ours: they don't wait among those that anybody may invent. */
  const signed = createBoundedCache<true>(settings.cachedLinks)

  async function look({ task, key }: OpenLinkRequest): Promise<Target> {
    const found = await service.findLinked(task).catch(toNothing)
    const artifact = found?.artifacts.find((each) => each.key === key)
    if (found === undefined || artifact === undefined) return { names: { ...NOBODYS, task } }
    return { names: { account: found.task.account, task, key }, place: { ...found, artifact } }
  }

  /** The artifact that the link names, if the MAC is that of a live key. */
  async function lookAndVerify(request: OpenLinkRequest, token: AccessToken): Promise<Target> {
    const { names, place } = await look(request)
    const key = await keys.find(token.kid)
    const isGenuine = await verifyClaim(key, { ...token, ...names }, token.mac)
    return isGenuine && place !== undefined ? { names, place } : { names }
  }

  return {
    async createLink(request) {
      const { account, artifact } = request
      const exp = toEnd(request)
      if (exp === undefined) return undefined
      const names = { account, task: artifact.task, key: artifact.key }
      const [epoch, { id: kid, key }] = await Promise.all([
        storage.readLinkEpoch(names),
        keys.signing(),
      ])
      const claim = { ...names, kid, exp, epoch }
      const token = formatAccessToken({ ...claim, mac: await signClaim(key, claim) })
      return { token, endsAt: exp * 1_000 }
    },

    async openLink(request) {
      const token = parseRequest(request)
      if (token === undefined) return undefined
      const name = `${request.task}/${request.key}/${token.mac}`
      const lookNow = (): Promise<Target> => lookAndVerify(request, token)
      const isKnown = signed.get(name) !== undefined
      const { names, place } = await (isKnown ? lookNow() : unknownLinks.run(lookNow))
      if (place === undefined) return undefined
      signed.set(name, true)
      const [epoch, known] = await Promise.all([
        storage.readLinkEpoch(names),
        storage.findAccount(names.account),
      ])
      const account = known ?? { ...NO_LIMITS, id: names.account, createdAt: 0 }
      if (token.epoch !== epoch || account.suspendedAt !== 0) return undefined
      const { task, artifact } = place
      const linkEndsAt = Math.min(token.exp * 1_000, artifact.expiresAt)
      return request.now < linkEndsAt ? { task, artifact, account, linkEndsAt } : undefined
    },

    revokeLinks: (scope) => storage.raiseLinkEpoch(scope),
  }
}

/** In Unix seconds; undefined if the artifact expires before a link could open it. */
function toEnd({ artifact, now, seconds }: CreateLinkRequest): number | undefined {
  const wanted = toUnixSeconds(now) + (seconds ?? LINK_SECONDS.byDefault)
  const end = Math.min(wanted, toUnixSeconds(artifact.expiresAt))
  return end * 1_000 > now ? end : undefined
}

/** A damaged task counts as none: without its account no link to it can be verified. */
function toNothing(error: unknown): undefined {
  if (!isSafelightError(error) || error.code !== "storage-corrupt") throw error
}

interface Target {
  readonly names: LinkEpochRequest
  readonly place?: { readonly task: Task; readonly artifact: Artifact }
}

/** The only token of the request, if its task id is well-formed. */
function parseRequest({ access, task }: OpenLinkRequest): AccessToken | undefined {
  const [text = "", ...more] = access
  return more.length === 0 && isTaskId(task) ? parseAccessToken(text) : undefined
}
