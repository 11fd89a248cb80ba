/** What surrounds every page: the way past it, the navigation, the theme and the way out. */
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { firstPage } from "../router/first-page.ts"
import { PAGES, type PageEntry } from "../router/pages.ts"
import { route } from "../router/route.ts"
import { hasScope, isOperator } from "../session/me.ts"
import { signOut } from "../session/session.ts"
import { Icon } from "./icon.tsx"
import { Lamp } from "./lamp.tsx"
import { switchTheme, theme } from "./theme.ts"
import "./shell.css"

export function Shell({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const main = useRef<HTMLElement>(null)
  const address = route.value.path.join("/")
  const isFirst = useRef(true)
  // A reader who follows a link is taken to the new page's beginning, as a browser does.
  useEffect(() => {
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    isFirst.current = false
  }, [address])
  return (
    <div class="shell">
      <button class="skip" type="button" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <header class="shell-head">
        <a class="brand" href="#/">
          <Lamp />
          Safelight
        </a>
        <Navigation />
        <div class="shell-tools">
          <ThemeToggle />
          <button class="tool" type="button" onClick={() => signOut()}>
            <Icon name="leave" />
            <span>Sign out</span>
          </button>
        </div>
      </header>
      <main class="shell-main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

const OWN_PAGES = PAGES.filter(({ scope }) => scope !== "admin")
const OPERATOR_PAGES = PAGES.filter(({ scope }) => scope === "admin")

function Navigation(): JSX.Element {
  const nav = useRef<HTMLElement>(null)
  const [shown = firstPage.value] = route.value.path
  // On a phone the links scroll sideways: the page's own is brought into sight.
  useEffect(() => {
    const { current } = nav
    const link = current?.querySelector("[aria-current]")?.getBoundingClientRect()
    if (current === null || link === undefined) return
    const place = current.getBoundingClientRect()
    current.scrollLeft += link.left + link.width / 2 - (place.left + place.width / 2)
  }, [shown, isOperator()])
  return (
    <nav ref={nav} aria-label="Pages">
      <PageLinks pages={OWN_PAGES.filter(({ scope }) => hasScope(scope) !== false)} />
      {isOperator() && (
        <>
          <p class="nav-title" id="operator-pages">
            Operator
          </p>
          <PageLinks pages={OPERATOR_PAGES} labelledBy="operator-pages" />
        </>
      )}
    </nav>
  )
}

interface PageLinksProps {
  readonly pages: readonly PageEntry[]
  readonly labelledBy?: string
}

function PageLinks({ pages, labelledBy }: PageLinksProps): JSX.Element {
  const [shown = firstPage.value] = route.value.path
  return (
    <ul class="nav" aria-labelledby={labelledBy}>
      {pages.map(({ segment, title, icon }) => (
        <li key={segment}>
          <a href={`#/${segment}`} aria-current={segment === shown ? "page" : undefined}>
            <Icon name={icon} />
            {title}
          </a>
        </li>
      ))}
    </ul>
  )
}

function ThemeToggle(): JSX.Element {
  const isDark = theme.value === "dark"
  return (
    <button class="tool" type="button" onClick={switchTheme}>
      <Icon name={isDark ? "sun" : "moon"} />
      <span>{isDark ? "Light theme" : "Dark theme"}</span>
    </button>
  )
}
