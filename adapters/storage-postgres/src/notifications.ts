/** `NOTIFY` and `LISTEN`: a payload goes to every process that listens. */
import {
  ownStatement,
  toStep,
  type Connections,
  type Listening,
  type Notifications,
} from "@safelight/store"
import type { PostgresConnection } from "./connection.ts"

const CHANNEL = "safelight_queued"

const NOTIFY = ownStatement<never, { readonly payload: string }>(
  `select pg_notify('${CHANNEL}', $1)`,
  ["payload"],
)

/** `open`: a connection with a session of its own. Without it nothing is heard, and others are told all the same. */
export function createNotifications(
  { commit }: Pick<Connections, "commit">,
  open: (() => Promise<PostgresConnection>) | undefined,
): Notifications {
  return {
    async notify(payload) {
      await commit({ steps: [toStep(NOTIFY, { payload })] })
    },
    ...(open && { listen: (onPayload) => listen(open, onPayload) }),
  }
}

async function listen(
  open: () => Promise<PostgresConnection>,
  onPayload: (payload: string) => void,
): Promise<Listening> {
  const connection = await open()
  const ended = new Promise<void>((resolve) => connection.onEnd(resolve))
  connection.onNotification(onPayload)
  try {
    await connection.execute(`listen ${CHANNEL}`)
  } catch (error) {
    // A connection that may not listen is still open.
    connection.destroy()
    throw error
  }
  return { ended, end: connection.destroy }
}
