/**
 * The built console in Chromium on a real service with the studio. The page's files are answered by the test, with the
 * policy that the service sends; every request of the page to `/v1` reaches the service.
 */
import { readFile } from "node:fs/promises"
import { extname } from "node:path"
import { createFirstKey } from "@safelight/access"
import { createClient, type Client } from "@safelight/client"
import { consoleFolder } from "@safelight/console"
import type { BrowserContextOptions, Page, Route } from "playwright-core"
import { createService, loadConfiguration, type Service } from "safelight"
import { openBrowser, type WatchedPage } from "../support/browser.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

export const PICTURE = "vendor-a/v4.1/flash/text-to-image"
export const FILM = "vendor-c/video-2.5/reference-to-video"

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
  "media-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'"

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
}

export interface ConsoleWorld extends AsyncDisposable {
  readonly service: Service
  readonly client: Client
  readonly key: string
  /** A page of the console, not signed in. */
  open(settings?: OpenSettings): Promise<WatchedPage>
  /** A page of the console, signed in, at a route: `#/tasks`. */
  enter(route: string, settings?: OpenSettings): Promise<WatchedPage>
}

export interface OpenSettings {
  readonly colorScheme?: NonNullable<BrowserContextOptions["colorScheme"]>
  readonly width?: number
  readonly height?: number
}

export async function createConsoleWorld(): Promise<ConsoleWorld> {
  const resources = new AsyncDisposableStack()
  const browser = resources.use(await openBrowser())
  const folder = resources.use(await createTemporaryFolder())
  const flags = { data: folder.path, port: "0" }
  const configuration = await loadConfiguration({ flags, environment: {}, folder: folder.path })
  const service = await createService({ configuration })
  resources.defer(() => service.stop())
  const { key = "" } = (await createFirstKey(service.storage, Date.now())) ?? {}

  async function prepare(settings: OpenSettings = {}): Promise<WatchedPage> {
    const { colorScheme = "dark", width = 1280, height = 900 } = settings
    const watched = await browser.openPage()
    await watched.page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await watched.page.setViewportSize({ width, height })
    await serveConsole(watched.page, service.url)
    return watched
  }

  return {
    service,
    client: createClient({ url: service.url, key }),
    key,
    async open(settings) {
      const watched = await prepare(settings)
      await watched.page.goto(`${service.url}/`)
      return watched
    },
    async enter(route, settings) {
      const watched = await prepare(settings)
      await watched.page.addInitScript((kept) => sessionStorage.setItem("safelight-key", kept), key)
      await watched.page.goto(`${service.url}/${route}`)
      return watched
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function serveConsole(page: Page, url: string): Promise<void> {
  const serve = async (route: Route, file: string): Promise<void> => {
    await route.fulfill({
      body: await readFile(new URL(file, consoleFolder)),
      contentType: TYPES[extname(file)] ?? "application/octet-stream",
      headers: { "content-security-policy": POLICY },
    })
  }
  await page.route(`${url}/`, (route) => serve(route, "index.html"))
  await page.route(`${url}/console/**`, (route) => {
    const { pathname } = new URL(route.request().url())
    return serve(route, pathname.replace("/console/", ""))
  })
}
