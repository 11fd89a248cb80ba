/** GET /v1/admin/changes: what operators changed, by this API and by commands. The record is only ever added to. */
import { toUnixSeconds, type OperatorChange } from "@safelight/core"
import { defineEndpoint } from "../endpoint.ts"
import { integer, token } from "../request/query-parameters.ts"
import { parseCursor, toCursor } from "./list-cursor.ts"
import { toGivenSettingsBody } from "./operator-account-body.ts"
import { OPERATOR_KEY } from "./operator-key.ts"

export const listChanges = defineEndpoint({
  method: "GET",
  path: "/v1/admin/changes",
  about: {
    id: "listChanges",
    tag: "Operator",
    summary: "What operators changed, newest first",
    description:
      "Recorded before it is changed, by this API and by the commands, and never removed. Where a process or the " +
      "database failed in between, a change may be listed that was not made.",
  },
  key: OPERATOR_KEY,
  query: {
    limit: integer("The most changes on a page.", { min: 1, max: 100, byDefault: 20 }),
    cursor: token("A `next_cursor`, for the page behind it.", {
      read: parseCursor,
      words: "cursor must be a next_cursor of an earlier answer.",
    }),
  },
  answers: { 200: { description: "A page of changes.", json: "OperatorChangeList" } },
  refusals: [],
}).handle(({ insight }) => {
  if (insight === undefined) return undefined
  return async (call) => {
    const { cursor, limit } = call.query
    const before = cursor && { before: cursor.id }
    const page = await insight.changes.listChanges({ limit, ...before })
    // The moment is no part of this order.
    const next = page.next === null ? null : toCursor({ createdAt: 0, id: page.next })
    const changes = page.changes.map(toChangeBody)
    return call.reply(200, JSON.stringify({ changes, next_cursor: next }))
  }
})

function toChangeBody(change: OperatorChange): object {
  const { account, at, changedBy, details, id, target } = change
  const { artifact, expiresAt, replacedExpiresAt, scopes, settings, successor, verdict } = details
  return {
    id,
    created_at: toUnixSeconds(at),
    changed_by: changedBy,
    change: change.change.replaceAll("-", "_"),
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
