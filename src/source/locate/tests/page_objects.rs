use super::*;

const PRINTED: &str = "getByRole('button', { name: 'Save' })";
const CALL: &str = "«getByRole('button', { name: 'Save' })»";

/// A spec that calls `save()` of a page object, in TypeScript and JavaScript.
#[track_caller]
fn in_class(body: &str, shape: Shape) {
    let body = body.replace("CALL", CALL);
    for (extension, head) in [("ts", "import { type Page, type Locator } from '@playwright/test';\n"), ("js", "")] {
        if extension == "js"
            && (body.contains("private") || body.contains(": "))
            && body.contains("constructor(private")
        {
            continue;
        }
        let page = format!("{head}export class FormPage {{\n{body}\n}}\n");
        let page_path = format!("pages/form.page.{extension}");
        let spec_path = format!("tests/form.spec.{extension}");
        let spec = "import { test } from '@playwright/test';\nimport { FormPage } from '../pages/form.page';\ntest('a', async ({ page }) => {\n  const form = new FormPage(page);\n  await form.②save();\n});\n";
        found(&[(&spec_path, spec), (&page_path, &page)], PRINTED, 0, shape);
    }
}

#[test]
fn a_field_set_in_the_constructor_is_found() {
    in_class(
        "  constructor(page) {\n    this.page = page;\n    this.saveButton = page.CALL;\n  }\n  async save() {\n    await this.saveButton.①click();\n  }",
        Shape::AssignedField,
    );
    in_class(
        "  readonly saveButton: Locator;\n  constructor(private page: Page) {\n    this.saveButton = this.page.CALL;\n  }\n  async save() {\n    await this.saveButton.①click();\n  }",
        Shape::AssignedField,
    );
}

#[test]
fn a_class_field_is_found() {
    in_class(
        "  saveButton = this.page.CALL;\n  constructor(private readonly page: Page) {}\n  async save() {\n    await this.saveButton.①click();\n  }",
        Shape::ClassField,
    );
    in_class("  #save = () => this.page.CALL;\n  async save() {\n    await this.#save().①click();\n  }", Shape::Arrow);
}

#[test]
fn a_getter_is_found() {
    in_class(
        "  get saveButton() {\n    return this.page.CALL;\n  }\n  async save() {\n    await this.saveButton.①click();\n  }",
        Shape::Getter,
    );
}

#[test]
fn a_method_is_found() {
    in_class(
        "  button() {\n    return this.page.CALL;\n  }\n  async save() {\n    await this.button().①click();\n  }",
        Shape::Return,
    );
}

#[test]
fn a_method_with_a_parameter_keeps_the_template() {
    let page = "export class ListPage {\n  row = (name) => this.page.«getByTestId(`row-${name}`)»;\n  async open(name) {\n    await this.row(name).getByRole('link').①click();\n  }\n}\n";
    let spec = "import { ListPage } from './list';\ntest('a', async ({ page }) => {\n  await new ListPage(page).②open('7');\n});\n";
    found(&[("a.spec.js", spec), ("list.js", page)], "getByTestId('row-7').getByRole('link')", 0, Shape::Arrow);
    refused(&[("a.spec.js", spec), ("list.js", page)], "getByTestId('row-8').getByRole('link')", Reason::OtherSite);
}

#[test]
fn a_locator_used_from_the_spec_is_found_in_the_page_object() {
    let page = "export class FormPage {\n  constructor(page) {\n    this.save = page.«getByRole('button', { name: 'Save' })»;\n  }\n}\n";
    let spec = "import { FormPage } from './form';\ntest('a', async ({ page }) => {\n  const form = new FormPage(page);\n  await form.save.①click();\n});\n";
    found(&[("a.spec.js", spec), ("form.js", page)], PRINTED, 0, Shape::AssignedField);
}

#[test]
fn a_base_class_is_followed() {
    let base = "export abstract class BasePage {\n  readonly save: Locator;\n  constructor(protected page: Page) {\n    this.save = page.«getByRole('button', { name: 'Save' })»;\n  }\n}\n";
    let page = "import { BasePage } from './base';\nexport class FormPage extends BasePage {\n  async submit() {\n    await this.save.①click();\n  }\n}\n";
    let spec = "import { FormPage } from './form';\ntest('a', async ({ page }) => {\n  await new FormPage(page).②submit();\n});\n";
    found(&[("a.spec.ts", spec), ("form.ts", page), ("base.ts", base)], PRINTED, 0, Shape::AssignedField);
}

#[test]
fn a_base_class_method_uses_what_the_child_defines() {
    let base = "export abstract class BasePage {\n  abstract get save(): Locator;\n  async submit() {\n    await this.save.①click();\n  }\n}\n";
    let page = "import { BasePage } from './base';\nexport class FormPage extends BasePage {\n  get save() {\n    return this.page.«getByRole('button', { name: 'Save' })»;\n  }\n}\n";
    let spec = "import { FormPage } from './form';\ntest('a', async ({ page }) => {\n  await new FormPage(page).②submit();\n});\n";
    found(&[("a.spec.ts", spec), ("form.ts", page), ("base.ts", base)], PRINTED, 0, Shape::Getter);
}

#[test]
fn a_component_on_a_root_locator_keeps_both_ends() {
    let component = "export class Dialog {\n  constructor(private readonly root: Locator) {}\n  get confirm() {\n    return this.root.«getByRole('button', { name: 'OK' })»;\n  }\n}\n";
    let page = "import { Dialog } from './dialog';\nexport class ShopPage {\n  readonly dialog: Dialog;\n  constructor(page: Page) {\n    this.dialog = new Dialog(page.getByRole('dialog'));\n  }\n}\n";
    let spec = "import { ShopPage } from './shop';\ntest('a', async ({ page }) => {\n  const shop = new ShopPage(page);\n  await shop.dialog.confirm.①click();\n});\n";
    let files = [("a.spec.ts", spec), ("shop.ts", page), ("dialog.ts", component)];
    let printed = "getByRole('dialog').getByRole('button', { name: 'OK' })";
    found(&files, printed, 1, Shape::Getter);
    let definition = ask(&unmark(&files), printed).unwrap();
    assert_eq!(definition.piece_of(0).unwrap().call.path, "shop.ts");
}

#[test]
fn a_fixture_that_hands_out_a_page_object_is_followed() {
    let page = "export class FormPage {\n  constructor(readonly page: Page) {}\n  readonly save = this.page.«getByRole('button', { name: 'Save' })»;\n}\n";
    let fixtures = "import { test as base } from '@playwright/test';\nimport { FormPage } from './form';\nexport const test = base.extend<{ form: FormPage }>({\n  form: async ({ page }, use) => {\n    const form = new FormPage(page);\n    await use(form);\n  },\n});\n";
    let spec =
        "import { test } from './fixtures';\ntest('a', async ({ form }) => {\n  await form.save.①click();\n});\n";
    found(&[("a.spec.ts", spec), ("form.ts", page), ("fixtures.ts", fixtures)], PRINTED, 0, Shape::ClassField);
    let nested = "import { test } from './fixtures';\ntest.describe('x', () => {\n  test.beforeEach(async ({ form: page_ }) => {\n    await test.②step('s', async () => {\n      await page_.save.①click();\n    });\n  });\n});\n";
    found(&[("a.spec.ts", nested), ("form.ts", page), ("fixtures.ts", fixtures)], PRINTED, 0, Shape::ClassField);
}

#[test]
fn page_objects_are_found_behind_aliases_and_index_files() {
    let page = "export default class FormPage {\n  constructor(page) {\n    this.save = page.«getByRole('button', { name: 'Save' })»;\n  }\n}\n";
    let index = "export { default as FormPage } from './form';\nexport * from './other';\n";
    let spec = "import { FormPage as Form } from '@pages/index';\ntest('a', async ({ page }) => {\n  const form = new Form(page);\n  await form.save.①click();\n});\n";
    found(
        &[("tests/a.spec.ts", spec), ("pages/index.ts", index), ("pages/form.ts", page)],
        PRINTED,
        0,
        Shape::AssignedField,
    );
}

#[test]
fn commonjs_page_objects_are_found() {
    let page = "class FormPage {\n  constructor(page) {\n    this.save = page.«getByRole('button', { name: 'Save' })»;\n  }\n}\nmodule.exports = { FormPage };\n";
    let spec = "const { test } = require('@playwright/test');\nconst { FormPage } = require('./form');\ntest('a', async ({ page }) => {\n  const form = new FormPage(page);\n  await form.save.①click();\n});\n";
    found(&[("a.spec.js", spec), ("form.js", page)], PRINTED, 0, Shape::AssignedField);
}

#[test]
fn helper_functions_are_followed_both_ways() {
    let helpers = "export function row(page, name) {\n  return page.«locator('.row')».filter({ hasText: name });\n}\nexport const tick = (page, name) => row(page, name).getByRole('checkbox');\nexport async function clickIt(target) {\n  await target.click();\n}\n";
    let spec = "import { tick } from './helpers';\ntest('a', async ({ page }) => {\n  await tick(page, 'Milk').①check();\n});\n";
    let printed = "locator('.row').filter({ hasText: 'Milk' }).getByRole('checkbox')";
    found(&[("a.spec.js", spec), ("helpers.js", helpers)], printed, 0, Shape::Return);
    let helpers = "export async function clickIt(target: Locator) {\n  await target.①click();\n}\n";
    let spec = "import { clickIt } from './helpers';\ntest('a', async ({ page }) => {\n  ②await clickIt(page.«locator('#a')»);\n});\n";
    found(&[("a.spec.ts", spec), ("helpers.ts", helpers)], "locator('#a')", 0, Shape::Argument);
}

#[test]
fn a_selector_argument_of_a_helper_is_found_at_the_caller() {
    let base = "export class BasePage {\n  constructor(page) {\n    this.page = page;\n  }\n  async click(selector) {\n    await this.page.locator(selector).①click();\n  }\n}\n";
    let page = "import { BasePage } from './base';\nexport class FormPage extends BasePage {\n  async save() {\n    await this.②click(«'#save'»);\n  }\n}\n";
    let spec = "import { FormPage } from './form';\ntest('a', async ({ page }) => {\n  await new FormPage(page).③save();\n});\n";
    found(&[("a.spec.js", spec), ("form.js", page), ("base.js", base)], "locator('#save')", 0, Shape::Argument);
}

#[test]
fn gherkin_steps_of_a_world_are_read() {
    let steps = "import { When } from '@cucumber/cucumber';\nWhen('I open {string}', async function (name) {\n  await this.page.«getByRole('link', { name })».①click();\n});\n";
    found(&[("steps.ts", steps)], "getByRole('link', { name: 'Home' })", 0, Shape::Inline);
}

#[test]
fn page_objects_made_in_hooks_are_followed() {
    let page = "export class FormPage {\n  constructor(page) {\n    this.save = page.«getByRole('button', { name: 'Save' })»;\n  }\n}\n";
    for (declaration, hooks) in [
        ("let form: FormPage;", "test.beforeEach(async ({ page }) => {\n  form = new FormPage(page);\n});"),
        (
            "let form;",
            "test.beforeEach(async ({ page }) => {\n  form = new FormPage(page);\n});\ntest.afterAll(async ({ page }) => {\n  form = new FormPage(page);\n});",
        ),
        ("let form: FormPage;", "setUp(() => (form = make()));\ntearDown(() => (form = null));"),
    ] {
        let spec = format!(
            "import {{ FormPage }} from './form';\n{declaration}\n{hooks}\ntest('a', async () => {{\n  await form.save.①click();\n}});\n"
        );
        found(&[("a.spec.ts", &spec), ("form.ts", page)], PRINTED, 0, Shape::AssignedField);
    }
}

#[test]
fn pages_kept_in_variables_are_roots() {
    let spec = "import { test } from '@playwright/test';\nlet page: Page;\ntest.beforeAll(async ({ browser }) => {\n  page = await browser.newPage();\n});\ntest.afterAll(async () => {\n  page = await other();\n});\ntest('a', async () => {\n  await page.«locator('#a')».①click();\n});\n";
    found(&[("a.spec.ts", spec)], "locator('#a')", 0, Shape::Inline);
}

#[test]
fn maps_of_factories_are_followed() {
    let map = "export const form = {\n  email: (page: Page) => page.getByLabel('E-mail'),\n  submit(page: Page) {\n    return page.«getByRole('button', { name: 'Save' })»;\n  },\n};\n";
    let spec =
        "import { form } from './map';\ntest('a', async ({ page }) => {\n  await form.submit(page).①click();\n});\n";
    found(&[("a.spec.ts", spec), ("map.ts", map)], PRINTED, 0, Shape::Return);
    let maker = "export const createForm = (page) => ({\n  save: page.«getByRole('button', { name: 'Save' })»,\n  async submit() {\n    await this.save.click();\n  },\n});\n";
    let spec = "import { createForm } from './map';\ntest('a', async ({ page }) => {\n  const form = createForm(page);\n  await form.save.①click();\n});\n";
    found(&[("a.spec.js", spec), ("map.js", maker)], PRINTED, 0, Shape::Property);
}

#[test]
fn an_object_of_page_objects_is_followed() {
    let page = "export class FormPage {\n  constructor(page) {\n    this.save = page.«getByRole('button', { name: 'Save' })»;\n  }\n}\n";
    let app = "import { FormPage } from './form';\nexport class App {\n  constructor(page) {\n    this.page = page;\n  }\n  get form() {\n    return new FormPage(this.page);\n  }\n}\n";
    let fixtures = "import { test as base } from '@playwright/test';\nimport { App } from './app';\nexport const test = base.extend({\n  app: [async ({ page }, use) => { await use(new App(page)); }, { auto: true }],\n});\n";
    let spec =
        "import { test } from './fixtures';\ntest('a', async ({ app }) => {\n  await app.form.save.①click();\n});\n";
    found(
        &[("a.spec.js", spec), ("form.js", page), ("app.js", app), ("fixtures.js", fixtures)],
        PRINTED,
        0,
        Shape::AssignedField,
    );
}

#[test]
fn statics_and_mixed_in_helpers_are_followed() {
    let page = "export class FormPage {\n  static saveButton(page) {\n    return page.«getByRole('button', { name: 'Save' })»;\n  }\n  static async save(page) {\n    await FormPage.saveButton(page).①click();\n  }\n}\n";
    let spec =
        "import { FormPage } from './form';\ntest('a', async ({ page }) => {\n  await FormPage.②save(page);\n});\n";
    found(&[("a.spec.js", spec), ("form.js", page)], PRINTED, 0, Shape::Return);
}

#[test]
fn a_step_inside_a_method_keeps_its_this() {
    let page = "export class FormPage {\n  constructor(private page: Page) {}\n  private save = this.page.«getByRole('button', { name: 'Save' })»;\n  async submit() {\n    await test.②step('save', async () => {\n      await this.save.①click();\n    });\n  }\n}\n";
    let spec = "import { FormPage } from './form';\ntest('a', async ({ page }) => {\n  await new FormPage(page).③submit();\n});\n";
    found(&[("a.spec.ts", spec), ("form.ts", page)], PRINTED, 0, Shape::ClassField);
}

#[test]
fn a_decorator_between_method_and_caller_is_stepped_over() {
    let page = "import { step } from './step';\nexport class ListPage {\n  constructor(private page: Page) {}\n  @step('open')\n  async open(selector: string) {\n    await this.page.locator(selector).①click();\n  }\n}\n";
    let wrapper = "export function step(name) {\n  return (target) => function (...args) {\n    return test.③step(name, async () => await target.②call(this, ...args));\n  };\n}\n";
    let spec = "import { ListPage } from './list';\ntest('a', async ({ page }) => {\n  await new ListPage(page).④open(«'#row'»);\n});\n";
    found(&[("a.spec.ts", spec), ("list.ts", page), ("step.ts", wrapper)], "locator('#row')", 0, Shape::Argument);
}
