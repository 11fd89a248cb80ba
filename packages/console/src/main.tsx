/** The page's entry: chooses the theme before anything is drawn, resumes the tab's session, and draws. */
import { render } from "preact"
import { App } from "./app.tsx"
import { followTheme } from "./design/theme.ts"
import { followMe } from "./session/me.ts"
import { resume } from "./session/session.ts"
import { followSignInLinks } from "./session/sign-in-links.ts"

followTheme()
resume()
followMe()
followSignInLinks()
const place = document.querySelector("#page")
if (place === null) throw new Error("index.html has no place for the page")
render(<App />, place)
