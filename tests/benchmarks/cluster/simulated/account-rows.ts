/** Accounts with limits, of which every tenth has a webhook. */
import type { Storage } from "@safelight/core"

const WITH_WEBHOOK = 10
/** Added at once. */
const TOGETHER = 100

export function toAccountName(index: number): string {
  return `account-${index}`
}

export async function addAccounts(storage: Storage, count: number, now: number): Promise<void> {
  const all = Array.from({ length: count }, (_, index) => index)
  for (let done = 0; done < count; done += TOGETHER) {
    // oxlint-disable-next-line no-await-in-loop -- some at a time
    await Promise.all(
      all.slice(done, done + TOGETHER).map((index) => addAccount(storage, index, now)),
    )
  }
}

async function addAccount(storage: Storage, index: number, now: number): Promise<void> {
  const id = toAccountName(index)
  await storage.setAccount({ id, now, settings: { runningTasks: 5, unfinishedTasks: 100 } })
  if (index % WITH_WEBHOOK !== 0) return
  await storage.openFeed({ account: id, until: now + 3_600_000 })
  await storage.createWebhook({
    endpoint: {
      id: `endpoint-${id}`,
      account: id,
      createdAt: now,
      url: `https://${id}.example/hook`,
      description: "",
      types: ["task.succeeded", "task.failed"],
      secrets: [{ secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", expiresAt: 0 }],
      revision: 1,
      disabledAt: 0,
      disabledReason: null,
      failingSince: 0,
      provenAt: 0,
    },
    most: 10,
  })
}
