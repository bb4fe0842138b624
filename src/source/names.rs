//! What a piece of source is called: the names of the variables, fields, methods and properties that it is the value of.

use super::locate::Piece;
use super::project::Project;
use super::tree::At;

/// At most so many names: what is further out names the page, not the element.
const MOST: usize = 4;

/// Longer ones are no names.
const LONGEST: usize = 80;

/// The names around a piece of a locator, the nearest first. The class or the test it stands in is none of them.
pub fn names_around(project: &Project, piece: &Piece) -> Vec<String> {
    let file = project.files().find(|file| file.path == piece.call.path);
    let Some(here) = file.and_then(|file| file.at(piece.call.range.start)) else { return Vec::new() };
    let inside = here.ancestors().take_while(|above| above.kind() != "class_body");
    let mut names: Vec<String> = inside.filter_map(|above| name_of(above, piece.call.range.start)).collect();
    names.dedup();
    names.truncate(MOST);
    names
}

/// The name that a declaration, an assignment or a property gives to what holds the byte `inside`.
fn name_of(above: At<'_>, inside: usize) -> Option<String> {
    let fields = ["name", "key", "left"].into_iter().filter_map(|field| above.field(field));
    let mut names = fields.filter(|name| !name.range().contains(&inside));
    let text = names.next()?.text();
    let last = text.rsplit(['.', '#']).next().unwrap_or(text).trim_matches(['"', '\'']);
    let plain = !last.is_empty() && last.len() <= LONGEST && !last.contains(char::is_whitespace);
    plain.then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::imports::Aliases;
    use crate::source::locate::{Frame, Question, locate};

    /// The names around the locator of the failing call, which stands at `»`.
    fn names(text: &str, locator: &str) -> Vec<String> {
        let at = text.find('»').unwrap();
        let text = text.replace('»', "");
        let before = text.get(..at).unwrap();
        let line = u32::try_from(before.matches('\n').count() + 1).unwrap();
        let column = u32::try_from(at - before.rfind('\n').map_or(0, |end| end + 1) + 1).unwrap();
        let project = Project::load(&["a.ts"], &Aliases::default(), &mut |path| (path == "a.ts").then(|| text.clone()));
        let frames = [Frame { path: "a.ts".to_owned(), line, column }];
        let definition = locate(&project, &Question { frames: &frames, locator: Some(locator) }).unwrap();
        names_around(&project, definition.piece_of(0).unwrap())
    }

    #[test]
    fn a_locator_is_called_what_it_is_kept_in() {
        for (text, expected) in [
            (
                "class LoginPage {\n  readonly submitButton = this.page.locator('#x');\n  constructor(readonly page: Page) {}\n  async go() { await this.submitButton.»click(); }\n}\nnew LoginPage(page).go();\n",
                vec!["submitButton"],
            ),
            (
                "test('saves', async ({ page }) => {\n  const save = page.locator('#x');\n  await save.»click();\n});\n",
                vec!["save"],
            ),
            ("test('saves', async ({ page }) => {\n  await page.locator('#x').»click();\n});\n", vec![]),
        ] {
            assert_eq!(names(text, "locator('#x')"), expected, "{text}");
        }
    }
}
