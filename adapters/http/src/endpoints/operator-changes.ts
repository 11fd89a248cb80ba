/** GET /v1/admin/changes: what operators changed, by this API and by commands. The record is only ever added to. */
import { toUnixSeconds, type OperatorChange, API_KEY_SCOPES } from "@safelight/core"
import { whole, unixTime } from "../bodies/shapes.ts"
import { nextCursor, toNextCursor, toPageQuery } from "../bodies/page.ts"
import { defineBody, described, type Shown } from "../bodies/body.ts"
import * as v from "valibot"
import { toGivenSettingsBody } from "../bodies/account.ts"
import { defineOperatorEndpoint } from "./operator-endpoint.ts"

const changeDetails = v.object({
  settings: v.exactOptional(described(v.record(v.string(), v.unknown()), "Those that were given.")),
  scopes: v.exactOptional(v.array(v.picklist(API_KEY_SCOPES))),
  expires_at: v.exactOptional(
    described(whole, "Of the key that was made, Unix time in seconds; 0: never."),
  ),
  successor: v.exactOptional(described(v.string(), "The id of the key that replaces the target.")),
  replaced_expires_at: v.exactOptional(
    described(whole, "When the replaced key ends at the latest."),
  ),
  artifact: v.exactOptional(described(v.string(), "Whose links were revoked.")),
  verdict: v.exactOptional(v.picklist(["adopt", "fail"])),
})

const change = v.object({
  id: v.string(),
  created_at: unixTime,
  changed_by: described(
    v.string(),
    "The id of a key; `command`; or `sign-in`, by a one-time link.",
  ),
  change: described(
    v.string(),
    "`account_set`, `key_created`, `key_rotated`, `key_revoked`, `links_revoked`, `link_key_rotated`, " +
      "`channel_paused`, `channel_resumed`, `task_cancelled`, `task_resolved`, `task_erased`, `tasks_stopped`; " +
      "later releases may have others.",
  ),
  target: described(
    v.string(),
    "What it was done to: the account, the id of the key, the channel, the task.",
  ),
  account: described(v.nullable(v.string()), "Whose the target is; null if it is no account's."),
  details: described(changeDetails, "What it was changed to, as far as that is no secret."),
})

const EXAMPLE = {
  changes: [
    {
      id: "019b7a3c-5d1e-7f60-8a2b-3c4d5e6f7081",
      created_at: 1_767_225_600,
      changed_by: "9dPs3MnV0c",
      change: "account_set",
      target: "acme",
      account: "acme",
      details: { settings: { budget_micros: 5_000_000 } },
    },
  ],
  next_cursor: null,
} as const

const changeList = defineBody("OperatorChangeList", EXAMPLE, {
  changes: v.array(change),
  next_cursor: nextCursor,
})

export const listChanges = defineOperatorEndpoint({
  method: "GET",
  path: "/v1/admin/changes",
  about: {
    id: "listChanges",
    summary: "What operators changed, newest first",
    description:
      "Recorded before it is changed, by this API and by the commands, and never removed. Where a process or the " +
      "database failed in between, a change may be listed that was not made.",
  },
  query: toPageQuery("changes"),
  answers: { 200: { description: "A page of changes.", json: changeList } },
  refusals: [],
}).handle((insight) => async (call) => {
  const { cursor, limit } = call.query
  const before = cursor && { before: cursor.id }
  const page = await insight.changes.listChanges({ limit, ...before })
  const next = toNextCursor(page.next)
  const changes = page.changes.map(toChangeBody)
  return call.reply(200, { changes, next_cursor: next })
})

function toChangeBody(made: OperatorChange): Shown<typeof change> {
  const { account, at, changedBy, details, id, target } = made
  const { artifact, expiresAt, replacedExpiresAt, scopes, settings, successor, verdict } = details
  return {
    id,
    created_at: toUnixSeconds(at),
    changed_by: changedBy,
    change: made.change.replaceAll("-", "_"),
    target,
    account,
    details: {
      ...(settings && { settings: toGivenSettingsBody(settings) }),
      ...(scopes && { scopes }),
      ...(expiresAt !== undefined && { expires_at: toUnixSeconds(expiresAt) }),
      ...(successor !== undefined && { successor }),
      ...(replacedExpiresAt !== undefined && {
        replaced_expires_at: toUnixSeconds(replacedExpiresAt),
      }),
      ...(artifact !== undefined && { artifact }),
      ...(verdict !== undefined && { verdict }),
    },
  }
}
