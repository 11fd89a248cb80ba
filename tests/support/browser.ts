/**
 * Debian's Chromium, driven by Playwright's client alone: a browser of Playwright's own can't be
 * had everywhere. It knows no host but this machine, so a page that asks elsewhere fails at it,
 * besides being seen at it.
 */
import { existsSync } from "node:fs"
import { chromium, type BrowserContext, type Page } from "playwright-core"
import { createTemporaryFolder } from "./temporary-folder.ts"

const EXECUTABLE = "/usr/bin/chromium"
const REASON = `${EXECUTABLE} is missing: apt-get install chromium`

/** For `{ skip }`: why a browser's tests can't run here. Under CI they run, and fail. */
export const skipWithoutBrowser =
  existsSync(EXECUTABLE) || process.env["CI"] !== undefined ? false : REASON

/** Only stops a page that hangs: no test may depend on how long it takes. */
const HANG_GUARD_MS = 120_000

const FLAGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]

export interface TestBrowser extends AsyncDisposable {
  openPage(): Promise<WatchedPage>
}

export interface WatchedPage {
  readonly page: Page
  /** Everything asked for so far, `data:` and `blob:` left out. */
  readonly requested: readonly URL[]
  /** Errors told to the console, uncaught ones and violations of a content security policy. */
  readonly complaints: readonly string[]
}

/** A browser with a profile of its own; rejects where there is none to start. */
export async function openBrowser(): Promise<TestBrowser> {
  if (!existsSync(EXECUTABLE)) throw new Error(REASON)
  const profile = await createTemporaryFolder()
  const context = await chromium.launchPersistentContext(profile.path, {
    executablePath: EXECUTABLE,
    headless: true,
    // Its sandbox needs rights that a container seldom gives.
    chromiumSandbox: false,
    args: FLAGS,
    viewport: { width: 1280, height: 900 },
  })
  context.setDefaultTimeout(HANG_GUARD_MS)
  return {
    openPage: () => openPage(context),
    async [Symbol.asyncDispose]() {
      await context.close()
      await profile[Symbol.asyncDispose]()
    },
  }
}

async function openPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage()
  const requested: URL[] = []
  const complaints: string[] = []
  page.on("request", (request) => {
    const url = new URL(request.url())
    if (url.protocol !== "data:" && url.protocol !== "blob:") requested.push(url)
  })
  // A violation of a policy is told to the console too.
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  return { page, requested, complaints }
}
