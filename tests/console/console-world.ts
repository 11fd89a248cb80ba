/** The console in Chromium, as a real service with the studio serves it: built files, real requests. */
import { createFirstKey, createKey } from "@safelight/access"
import { createClient, type Client } from "@safelight/client"
import { ACCOUNT_SCOPES, type ApiKeyScope } from "@safelight/core"
import type { BrowserContextOptions, Page } from "playwright-core"
import { createService, loadConfiguration, type Configuration, type Service } from "safelight"
import { openBrowser, type WatchedPage } from "../support/browser.ts"
import { createTemporaryFolder } from "../support/temporary-folder.ts"

export const PICTURE = "vendor-a/v4.1/flash/text-to-image"
export const FILM = "vendor-c/video-2.5/reference-to-video"

const DAY_MS = 86_400_000

export interface ConsoleWorld extends AsyncDisposable {
  readonly service: Service
  readonly client: Client
  readonly key: string
  /** Of the same account, with the scope `admin` and those of `key`. */
  readonly operatorKey: string
  /** A key with these scopes alone, of an account that may hold nothing. */
  makeKey(...scopes: readonly ApiKeyScope[]): Promise<string>
  /** A page of the console, not signed in. The page that was opened before is closed. */
  open(settings?: OpenSettings): Promise<WatchedPage>
  /** The same, signed in, at a route: `#/tasks`. */
  enter(route: string, settings?: OpenSettings): Promise<WatchedPage>
}

export interface OpenSettings {
  readonly colorScheme?: NonNullable<BrowserContextOptions["colorScheme"]>
  readonly width?: number
  readonly height?: number
  /** Signed in with the operator's key. */
  readonly isOperator?: boolean
  /** Signed in with this key. */
  readonly key?: string
}

/** `changes` are of the configuration. */
export async function createConsoleWorld(
  changes: Partial<Configuration> = {},
): Promise<ConsoleWorld> {
  const resources = new AsyncDisposableStack()
  const browser = resources.use(await openBrowser())
  const folder = resources.use(await createTemporaryFolder())
  const flags = { data: folder.path, port: "0" }
  const loaded = await loadConfiguration({ flags, environment: {}, folder: folder.path })
  const service = await createService({ configuration: { ...loaded, ...changes } })
  resources.defer(() => service.stop())
  const { storage } = service
  const { account = "", key = "" } = (await createFirstKey(storage, Date.now())) ?? {}
  await storage.setAccount({
    id: account,
    now: Date.now(),
    settings: { maxRetentionMs: 365 * DAY_MS },
  })
  const operator = await createKey({
    keys: storage,
    account,
    scopes: [...ACCOUNT_SCOPES, "admin"],
    now: Date.now(),
  })

  let shown: Page | undefined

  async function prepare(settings: OpenSettings = {}): Promise<WatchedPage> {
    const { colorScheme = "dark", width = 1280, height = 900 } = settings
    // A page keeps a stream open, and a browser opens six connections to a host.
    await shown?.close()
    const watched = await browser.openPage()
    shown = watched.page
    await watched.page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await watched.page.setViewportSize({ width, height })
    return watched
  }

  return {
    service,
    client: createClient({ url: service.url, key }),
    key,
    operatorKey: operator.key,
    async makeKey(...scopes) {
      const made = await createKey({ keys: storage, account: "other", scopes, now: Date.now() })
      return made.key
    },
    async open(settings) {
      const watched = await prepare(settings)
      await watched.page.goto(`${service.url}/`)
      return watched
    },
    async enter(route, settings) {
      const watched = await prepare(settings)
      const given = settings?.key ?? (settings?.isOperator === true ? operator.key : key)
      await watched.page.addInitScript(
        (kept) => sessionStorage.setItem("safelight-key", kept),
        given,
      )
      await watched.page.goto(`${service.url}/${route}`)
      return watched
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Moves the page's film to its third second; resolves to its whole seconds, and where it is then. */
export async function seekFilm(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => {
    const video = document.querySelector("video")
    if (video.readyState < 1) await new Promise((resolve) => video.addEventListener("loadedmetadata", resolve))
    const seeked = new Promise((resolve) => video.addEventListener("seeked", resolve))
    video.currentTime = 3
    await seeked
    return [Math.round(video.duration), video.currentTime]
  })()`)
}
