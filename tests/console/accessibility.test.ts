/** Every page in both themes, wide and as narrow as a phone: axe finds nothing, and no page is wider than the window. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { AxeBuilder } from "@axe-core/playwright"
import { toVerifierText } from "@safelight/proof"
import type { Page } from "playwright-core"
import { createSigner } from "../proof/signed-tasks.ts"
import { skipWithoutBrowser } from "../support/browser.ts"
import { signLog } from "../support/signed-service.ts"
import { createConsoleWorld, FILM, PICTURE, type ConsoleWorld } from "./console-world.ts"

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

const LOOKS = [
  { colorScheme: "dark", width: 1440 },
  { colorScheme: "light", width: 1440 },
  { colorScheme: "dark", width: 390 },
  { colorScheme: "light", width: 390 },
] as const

interface Shown {
  readonly title: string
  readonly route: () => string
  readonly isOperator?: boolean
  /** Resolves when the page shows what it has. */
  readonly settle: (page: Page) => Promise<unknown>
}

describe("a page of the console", { skip: skipWithoutBrowser }, () => {
  let world: ConsoleWorld
  let made = ""
  let failed = ""
  let webhook = ""
  let account = ""

  const PAGES: readonly Shown[] = [
    {
      title: "the playground",
      route: () => `#/playground?model=${encodeURIComponent(FILM)}`,
      settle: (page) => page.getByLabel("Prompt").waitFor(),
    },
    {
      title: "the models",
      route: () => "#/models",
      settle: (page) => page.locator("[data-row='1']").waitFor(),
    },
    {
      title: "a model, to an operator",
      route: () => `#/models/${FILM}`,
      isOperator: true,
      settle: (page) => page.getByRole("heading", { name: "Last failures" }).waitFor(),
    },
    {
      title: "tasks",
      route: () => "#/tasks",
      settle: (page) => page.locator("[data-row='1']").waitFor(),
    },
    {
      title: "no tasks",
      route: () => "#/tasks?label=none%3Dnone",
      settle: (page) => page.getByText("No task matches").waitFor(),
    },
    {
      title: "a task",
      route: () => `#/tasks/${made}`,
      settle: (page) => page.getByRole("img", { name: "image_1" }).waitFor(),
    },
    {
      title: "a task, proved",
      route: () => `#/tasks/${made}`,
      settle: async (page) => {
        await page.getByRole("button", { name: "Verify" }).click()
        await page.getByText("in the signed log of").waitFor()
      },
    },
    {
      title: "a failed task",
      route: () => `#/tasks/${failed}`,
      settle: (page) => page.getByText("media_download_failed").first().waitFor(),
    },
    {
      title: "the gallery",
      route: () => "#/gallery",
      settle: (page) => page.getByRole("img", { name: /image_1/ }).waitFor(),
    },
    {
      title: "usage",
      route: () => "#/usage",
      settle: (page) => page.locator(".plot canvas").waitFor(),
    },
    {
      title: "webhooks",
      route: () => "#/webhooks",
      settle: (page) => page.getByText("https://example.com/hook").waitFor(),
    },
    {
      title: "a webhook",
      route: () => `#/webhooks/${webhook}`,
      settle: (page) => page.getByRole("heading", { name: "Deliveries" }).waitFor(),
    },
    {
      title: "all tasks",
      route: () => "#/all-tasks",
      isOperator: true,
      settle: (page) => page.getByRole("table", { name: "Tasks of all accounts" }).waitFor(),
    },
    {
      title: "a task's log, proved",
      route: () => `#/all-tasks/${made}`,
      isOperator: true,
      settle: async (page) => {
        await page.getByRole("button", { name: "Prove" }).click()
        await page.getByText("The chain is whole.").waitFor()
      },
    },
    {
      title: "accounts",
      route: () => "#/accounts",
      isOperator: true,
      settle: (page) => page.getByRole("region", { name: "All accounts" }).waitFor(),
    },
    {
      title: "an account, and a key to be made",
      route: () => `#/accounts/${account}`,
      isOperator: true,
      settle: async (page) => {
        await page.getByRole("button", { name: "Make a key" }).click()
        await page.getByRole("dialog").getByText("links:write").waitFor()
      },
    },
    {
      title: "channels",
      route: () => "#/channels",
      isOperator: true,
      settle: (page) => page.locator(".plot canvas").first().waitFor(),
    },
    {
      title: "spending",
      route: () => "#/spending?by=account",
      isOperator: true,
      settle: async (page) => {
        await page.getByRole("region", { name: "Spending by account" }).waitFor()
        await page.locator(".plot canvas").waitFor()
      },
    },
    {
      title: "the system, with an audit",
      route: () => "#/system",
      isOperator: true,
      settle: async (page) => {
        await page.getByRole("region", { name: "Nodes and their leases" }).waitFor()
        await page.getByRole("button", { name: "Replay" }).click()
        await page.getByText("The log charges").waitFor()
      },
    },
    {
      title: "a page for operators",
      route: () => "#/channels",
      settle: (page) => page.getByText("This page is for operators").waitFor(),
    },
    {
      title: "no page",
      route: () => "#/nothing",
      settle: (page) => page.getByText("There is no such page").waitFor(),
    },
  ]

  before(async () => {
    const signer = createSigner()
    world = await createConsoleWorld({ checkpoints: { keys: [toVerifierText(signer.key)] } })
    const { client } = world
    made = (await client.run(PICTURE, { prompt: "a lighthouse", size: "square" })).task_id
    await signLog(world.service.storage, signer)
    const unreachable = { prompt: "waves", video_urls: ["http://127.0.0.1:9/none.mp4"] }
    account = (await client.me()).account
    webhook = (await client.webhooks.create({ url: "https://example.com/hook" })).id
    failed = (await client.wait(await client.submit(FILM, unreachable))).task_id
  })

  after(() => world[Symbol.asyncDispose]())

  for (const { title, route, isOperator = false, settle } of PAGES) {
    checkLooks(title, async () => {
      const { page } = await world.enter(route(), { isOperator })
      await settle(page)
      return page
    })
  }

  checkLooks("signing in", async () => {
    const { page } = await world.open()
    await page.getByLabel("API key").waitFor()
    return page
  })
})

/** The page is opened once, and its look changed as a reader's system and window would. */
function checkLooks(title: string, open: () => Promise<Page>): void {
  describe(title, () => {
    let page: Page

    before(async () => {
      page = await open()
    })

    for (const { colorScheme, width } of LOOKS) {
      it(`is accessible, ${colorScheme}, ${width} wide`, async () => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate(
          "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
        )
        await check(page)
      })
    }
  })
}

async function check(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze()
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  )
  assert.deepEqual(found, [])
  assert.equal(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
}
