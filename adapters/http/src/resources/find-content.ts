/**
 * Which artifact a content request is given: by key, where each thing that is wrong has a code of
 * its own, or by a private link, where all of them are the one 404. A link that is there decides
 * alone; a good key beside a bad one opens nothing.
 */
import type { ArtifactRow, FoundArtifacts, LinkAccess, TaskService } from "@safelight/core"
import type { Admit } from "../authentication/admission.ts"
import { Refusal } from "../errors/refusal.ts"
import type { Exchange } from "../exchange.ts"
import type { Limit } from "../authentication/limit.ts"
import { readAccess } from "./access-parameter.ts"
import { findFinished } from "./find-task.ts"

export interface Content {
  readonly artifact: ArtifactRow
  readonly finishedAt: number
  /** Set where a link opened it. */
  readonly linkEndsAt?: number
}

/** Throws a `Refusal`, or what the outside failed with. */
export type FindContent = (exchange: Exchange, now: number) => Promise<Content>

export interface FindContentOptions {
  readonly service: TaskService
  readonly admit: Admit
  readonly limit: Limit
  readonly links: Pick<LinkAccess, "openLink">
}

export function createFindContent(options: FindContentOptions): FindContent {
  const { service, admit, limit, links } = options

  async function findByKey(exchange: Exchange, now: number): Promise<Content> {
    const account = await admit(exchange, { scopes: ["artifacts:read"], policy: "content" })
    const found = await findFinished(service, account.id, exchange.param("task"))
    const artifact = findArtifact(found, exchange.param("key"))
    if (now >= artifact.expiresAt) throw new Refusal("artifact_expired")
    return { artifact, finishedAt: found.task.finishedAt }
  }

  async function findByLink(
    exchange: Exchange,
    access: readonly string[],
    now: number,
  ): Promise<Content> {
    const names = { task: exchange.param("task"), key: exchange.param("key") }
    const linked = await links.openLink({ access, ...names, now })
    if (linked === undefined) throw refuseLink(exchange)
    const { artifact, linkEndsAt, account } = linked
    // Only now: whoever guesses links must not use an account's rate up.
    await limit(exchange, account, "content")
    return { artifact, linkEndsAt, finishedAt: linked.task.finishedAt }
  }

  return (exchange, now) => {
    const access = readAccess(exchange.request)
    return access === undefined ? findByKey(exchange, now) : findByLink(exchange, access, now)
  }
}

/** Throws a `Refusal` for an unknown key. */
export function findArtifact({ artifacts }: FoundArtifacts, key: string): ArtifactRow {
  const artifact = artifacts.find((each) => each.key === key)
  if (artifact === undefined) throw new Refusal("artifact_not_found")
  return artifact
}

/** The one refusal of a link: a rate that was counted before would tell that the link was good. */
function refuseLink({ headers }: Pick<Exchange, "headers">): Refusal {
  delete headers["ratelimit"]
  delete headers["ratelimit-policy"]
  return new Refusal("not_found")
}
