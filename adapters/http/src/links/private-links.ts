/**
 * Private links to artifacts (http-decisions §6): making their tokens, and opening an artifact by
 * one. Whatever is wrong with a link or with what it names is the same nothing here. A link that
 * nobody signed costs one read and one MAC, whether or not what it names is there, so that neither
 * the answer nor its time tells a stranger more; only so many of those are read at a time.
 */
import {
  createBoundedCache,
  formatAccessToken,
  isSafelightError,
  NO_LIMITS,
  parseAccessToken,
  type AccessToken,
  type Account,
  type AccountStorage,
  type ArtifactRow,
  type LinkEpochRequest,
  type LinkStorage,
  type Task,
  type TaskService,
} from "@safelight/core"
import { isTaskId } from "../endpoints/task-body.ts"
import type { Gate } from "../gate.ts"
import type { LinkKeys } from "./link-keys.ts"
import { signClaim, verifyClaim } from "./link-mac.ts"

export interface PrivateLinksOptions {
  readonly service: Pick<TaskService, "findLinked">
  readonly storage: Pick<LinkStorage, "readLinkEpoch"> & Pick<AccountStorage, "findAccount">
  readonly keys: LinkKeys
  /** Where links stand in line until it is known that somebody signed them. */
  readonly strangers: Gate
}

export interface LinkRequest {
  /** Every value of the query's `access`; more than one opens nothing. */
  readonly access: readonly string[]
  /** As the path names it, like the key. */
  readonly task: string
  readonly key: string
  readonly now: number
}

export interface LinkedArtifact {
  readonly task: Task
  readonly artifact: ArtifactRow
  readonly account: Account
  /** When the link ends, in milliseconds; never after the artifact does. */
  readonly linkEndsAt: number
}

export interface PrivateLinks {
  /** The token of a link to the account's artifact that ends at `exp`, in Unix seconds. */
  sign(request: {
    readonly account: string
    readonly artifact: ArtifactRow
    readonly exp: number
  }): Promise<string>
  /** What the link opens now: an artifact that is neither expired nor anybody else's. */
  open(request: LinkRequest): Promise<LinkedArtifact | undefined>
}

/** What is asked for in place of what is not there, so that it takes as long. */
const NOBODYS = { account: "", key: "none" }

/** So many are known at least, about 200 bytes each. */
const OPENED_LINKS = 10_000

/** Its methods reject with what the storage and the service reject with. */
export function createPrivateLinks(options: PrivateLinksOptions): PrivateLinks {
  const { service, storage, keys, strangers } = options
  /** Links that somebody signed: they stand in no line with those that anybody may invent. */
  const opened = createBoundedCache<true>(OPENED_LINKS)

  async function look({ task, key }: LinkRequest): Promise<Target> {
    const found = await service.findLinked(task).catch(toNothing)
    const artifact = found?.artifacts.find((each) => each.key === key)
    if (found === undefined || artifact === undefined) return { names: { ...NOBODYS, task } }
    return { names: { account: found.task.account, task, key }, place: { ...found, artifact } }
  }

  /** What the link names, where the MAC is that of a live key. */
  async function lookAndVerify(request: LinkRequest, token: AccessToken): Promise<Target> {
    const { names, place } = await look(request)
    const key = await keys.find(token.kid)
    const isGenuine = await verifyClaim(key, { ...token, ...names }, token.mac)
    return isGenuine && place !== undefined ? { names, place } : { names }
  }

  return {
    async sign({ account, artifact, exp }) {
      const names = { account, task: artifact.task, key: artifact.key }
      const [epoch, { id: kid, key }] = await Promise.all([
        storage.readLinkEpoch(names),
        keys.signing(),
      ])
      const claim = { ...names, kid, exp, epoch }
      return formatAccessToken({ ...claim, mac: await signClaim(key, claim) })
    },

    async open(request) {
      const token = parseRequest(request)
      if (token === undefined) return undefined
      const name = `${request.task}/${request.key}/${token.mac}`
      const lookNow = (): Promise<Target> => lookAndVerify(request, token)
      const isKnown = opened.get(name) !== undefined
      const { names, place } = await (isKnown ? lookNow() : strangers.pass(1, lookNow))
      if (place === undefined) return undefined
      opened.set(name, true)
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
  }
}

/** A damaged task is as good as none: without its account no link can be told from a forged one. */
function toNothing(error: unknown): undefined {
  if (!isSafelightError(error) || error.code !== "storage-corrupt") throw error
}

interface Target {
  readonly names: LinkEpochRequest
  readonly place?: { readonly task: Task; readonly artifact: ArtifactRow }
}

/** The only token of the request, where a task may have its id. */
function parseRequest({ access, task }: LinkRequest): AccessToken | undefined {
  const [text = "", ...more] = access
  return more.length === 0 && isTaskId(task) ? parseAccessToken(text) : undefined
}
