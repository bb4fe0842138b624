//! How a suite writes its locators, counted over the files that were read.

use crate::domain::locator::Locator;
use crate::domain::suggest::House;

use super::locate::is_building;
use super::project::Project;

/// The kinds of locators in a project's files. Calls whose arguments are not literal are not counted.
pub fn house_of(project: &Project, test_id_attribute: &str) -> House {
    let mut house = House::default();
    for file in project.files() {
        for call in file.root().descendants().filter(|at| at.kind() == "call_expression") {
            let Some(method) = call.method().filter(|method| is_building(method.text())) else { continue };
            let text = file.text.get(method.range().start..call.range().end).unwrap_or_default();
            if let Ok(locator) = Locator::from_source(text, test_id_attribute) {
                house.note(&locator);
            }
        }
    }
    house
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::imports::Aliases;

    #[test]
    fn locators_of_all_files_are_counted() {
        let text =
            "page.getByTestId('a').click();\npage.locator('#x', { hasText: 'y' }).first();\npage.locator(sel);\n";
        let project =
            Project::load(&["a.ts"], &Aliases::default(), &mut |path| (path == "a.ts").then(|| text.to_owned()));
        let mut expected = House::default();
        expected.note(&Locator::from_source("getByTestId('a')", "data-testid").unwrap());
        expected.note(&Locator::from_source("locator('#x', { hasText: 'y' })", "data-testid").unwrap());
        assert_eq!(house_of(&project, "data-testid"), expected);
    }
}
