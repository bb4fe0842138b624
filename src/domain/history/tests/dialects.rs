use super::check;

#[test]
fn plain_html() {
    let page = |button: &str| {
        format!("<main>\n  <h1>Profile</h1>\n  <form>\n    {button}\n    <a href=\"/\">Back</a>\n  </form>\n</main>\n")
    };
    for (before, after, of, expected) in [
        ("<button id=\"save\">Save</button>", "<button id=\"store\">Save</button>", "id=save", "id=store"),
        ("<button id=\"save\">Save</button>", "<button data-testid=\"save\">Save</button>", "id=save", "test id=save"),
        (
            "<button id=\"save\">Save</button>",
            "<button data-testid=\"profile-save\">Save</button>",
            "id=save",
            "test id=profile-save",
        ),
        (
            "<button class=\"btn save-btn\">Save</button>",
            "<button class=\"btn store-btn\">Save</button>",
            "class=save-btn",
            "class=store-btn",
        ),
        (
            "<button id=\"save\">Save</button>",
            "<button id=\"save\">Store changes</button>",
            "name=Save",
            "name=Store changes",
        ),
        (
            "<button id=\"save\">\n      Save\n    </button>",
            "<button id=\"save\">\n      Store\n    </button>",
            "text=Save",
            "text=Store",
        ),
        (
            "<input name=\"mail\" placeholder=\"E-mail\">",
            "<input name=\"mail\" placeholder=\"Your e-mail\">",
            "placeholder=E-mail",
            "placeholder=Your e-mail",
        ),
        (
            "<label for=\"m\">E-mail:</label>",
            "<label for=\"m\">Contact address</label>",
            "label=E-mail",
            "label=Contact address",
        ),
        ("<input name=\"mail\">", "<input name=\"email\">", "@name=mail", "@name=email"),
        (
            "<button title=\"Save it\">S</button>",
            "<button title=\"Store it\">S</button>",
            "title=Save it",
            "title=Store it",
        ),
        (
            "<a id=\"go-on\" class=\"btn\" href=\"#\">Go</a>",
            "<button id=\"start\" class=\"btn\">Go</button>",
            "id=go-on",
            "id=start",
        ),
        ("<button id=\"save\">Save</button>", "", "id=save", "gone"),
        ("<p>x</p>\n    <button id=\"save\">Save</button>", "<p>x</p>", "name=Save", "gone"),
    ] {
        check("app/index.html", &page(before), &page(after), of, expected);
    }
    check("app/index.html", &page("<input name=\"mail\">"), &page("<input name=\"email\">"), "name=mail", "");
}

#[test]
fn jsx_over_several_lines_and_in_components() {
    let component = |button: &str| {
        format!(
            "export function Form() {{\n  const {{ t }} = useTranslation();\n  return (\n    <Card>\n{button}\n    </Card>\n  );\n}}\n"
        )
    };
    for (before, after, of, expected) in [
        (
            "      <Button\n        data-testid=\"save\"\n        variant=\"primary\"\n        onClick={save}\n      >\n        Save\n      </Button>",
            "      <Button\n        data-testid=\"save-changes\"\n        variant=\"primary\"\n        onClick={save}\n      >\n        Save\n      </Button>",
            "test id=save",
            "test id=save-changes",
        ),
        (
            "      <button className=\"btn save\" onClick={save}>Save</button>",
            "      <Button data-testid=\"save\" onClick={save}>Save</Button>",
            "class=save",
            "test id=save",
        ),
        (
            "      <button type=\"button\" onClick={save}>Save</button>\n      <button type=\"button\" onClick={cancel}>Cancel</button>",
            "      <button type=\"button\" onClick={save}>Store</button>\n      <button type=\"button\" onClick={cancel}>Cancel</button>",
            "name=Save",
            "name=Store",
        ),
        (
            "      {ready ? <p>Done</p> : <p>Wait</p>}\n      <TextField label=\"E-mail\" inputProps={{ 'data-testid': 'mail' }} />",
            "      {ready ? <p>Done</p> : <p>Wait</p>}\n      <TextField label=\"E-mail\" inputProps={{ 'data-testid': 'mail-input' }} />",
            "test id=mail",
            "test id=mail-input",
        ),
        (
            "      <TextField label=\"E-mail\" fullWidth />",
            "      <TextField label=\"Work address\" fullWidth />",
            "label=E-mail",
            "label=Work address",
        ),
        (
            "      <button aria-label={'Close'}><X /></button>",
            "      <button aria-label={'Close dialog'}><X /></button>",
            "name=Close",
            "name=Close dialog",
        ),
        (
            "      <button>{busy ? 'Saving' : 'Save'}</button>",
            "      <button>{busy ? 'Saving' : 'Store'}</button>",
            "name=Save",
            "name=Store",
        ),
    ] {
        check("src/Form.tsx", &component(before), &component(after), of, expected);
    }
}

#[test]
fn vue_svelte_angular_and_templates() {
    for (path, before, after, of, expected) in [
        (
            "src/Login.vue",
            "<template>\n  <v-btn :data-testid=\"'login'\" @click=\"go\">{{ $t('login.go') }}</v-btn>\n</template>\n",
            "<template>\n  <v-btn :data-testid=\"'sign-in'\" @click=\"go\">{{ $t('login.go') }}</v-btn>\n</template>\n",
            "test id=login",
            "test id=sign-in",
        ),
        (
            "src/Login.vue",
            "<template>\n  <form @submit.prevent=\"go\">\n    <button id=\"login\" type=\"submit\">Log in</button>\n  </form>\n</template>\n",
            "<template>\n  <form @submit.prevent=\"go\">\n    <button id=\"login\" type=\"submit\">Sign in</button>\n  </form>\n</template>\n",
            "name=Log in",
            "name=Sign in",
        ),
        (
            "src/routes/+page.svelte",
            "<script>\n  let name = 'x';\n</script>\n{#if open}\n  <button on:click={save} class=\"save\">Save</button>\n{/if}\n",
            "<script>\n  let name = 'x';\n</script>\n{#if open}\n  <button on:click={save} data-testid=\"save\">Save</button>\n{/if}\n",
            "class=save",
            "test id=save",
        ),
        (
            "src/app/login.component.html",
            "<button mat-button [attr.data-testid]=\"'save'\" (click)=\"save()\">Save</button>\n",
            "<button mat-button [attr.data-testid]=\"'keep'\" (click)=\"save()\">Save</button>\n",
            "test id=save",
            "test id=keep",
        ),
        (
            "src/app/login.component.ts",
            "@Component({\n  selector: 'app-login',\n  template: `\n    <input id=\"user\" formControlName=\"user\">\n  `,\n})\n",
            "@Component({\n  selector: 'app-login',\n  template: `\n    <input id=\"username\" formControlName=\"user\">\n  `,\n})\n",
            "id=user",
            "id=username",
        ),
        (
            "views/new.html.erb",
            "<%= form_with do |f| %>\n  <%= f.submit \"Save\", class: \"btn\" %>\n<% end %>\n",
            "<%= form_with do |f| %>\n  <%= f.submit \"Create\", class: \"btn\" %>\n<% end %>\n",
            "name=Save",
            "name=Create",
        ),
        (
            "views/new.pug",
            "form\n  button#save.btn(type=\"submit\") Save\n  a.back Back\n",
            "form\n  button#store.btn(type=\"submit\") Save\n  a.back Back\n",
            "id=save",
            "id=store",
        ),
        (
            "views/new.haml",
            "%form\n  %button.btn{type: \"submit\", data: {testid: \"save\"}} Save\n",
            "%form\n  %button.btn{type: \"submit\", data: {testid: \"save\"}} Keep\n",
            "name=Save",
            "name=Keep",
        ),
        (
            "templates/base.html.twig",
            "<nav>\n  <a class=\"nav-home\" href=\"{{ path('home') }}\">Home</a>\n</nav>\n",
            "<nav>\n  <a class=\"nav-start\" href=\"{{ path('home') }}\">Home</a>\n</nav>\n",
            "class=nav-home",
            "class=nav-start",
        ),
    ] {
        check(path, before, after, of, expected);
    }
}

#[test]
fn texts_of_catalogues_and_constants() {
    for (path, before, after, of, expected) in [
        (
            "src/locales/en.json",
            "{\n  \"form\": {\n    \"save\": \"Save\",\n    \"cancel\": \"Cancel\"\n  }\n}\n",
            "{\n  \"form\": {\n    \"save\": \"Store\",\n    \"cancel\": \"Cancel\"\n  }\n}\n",
            "name=Save",
            "name=Store",
        ),
        (
            "config/locales/en.yml",
            "en:\n  form:\n    save: Save\n    back: Back\n",
            "en:\n  form:\n    save: Store it\n    back: Back\n",
            "text=Save",
            "text=Store it",
        ),
        (
            "i18n/messages.properties",
            "form.save=Save\nform.back=Back\n",
            "form.save=Keep\nform.back=Back\n",
            "name=Save",
            "name=Keep",
        ),
        (
            "src/i18n/en.ts",
            "export default {\n  save: 'Save',\n  back: 'Back',\n};\n",
            "export default {\n  save: 'Keep',\n  back: 'Back',\n};\n",
            "name=Save",
            "name=Keep",
        ),
        (
            "locale/de/LC_MESSAGES/app.po",
            "msgid \"save\"\nmsgstr \"Speichern\"\n",
            "msgid \"save\"\nmsgstr \"Sichern\"\n",
            "name=Speichern",
            "name=Sichern",
        ),
        (
            "res/values/strings.xml",
            "<resources>\n  <string name=\"save\">Save</string>\n</resources>\n",
            "<resources>\n  <string name=\"save\">Keep</string>\n</resources>\n",
            "text=Save",
            "text=Keep",
        ),
        (
            "src/ids.ts",
            "export const IDS = {\n  SAVE: 'save-btn',\n  BACK: 'back-btn',\n} as const;\n",
            "export const IDS = {\n  SAVE: 'save-button',\n  BACK: 'back-btn',\n} as const;\n",
            "test id=save-btn",
            "test id=save-button",
        ),
        (
            "src/label.js",
            "function label() {\n  return 'Save';\n}\n",
            "function label() {\n  return 'Keep';\n}\n",
            "name=Save",
            "name=Keep",
        ),
        (
            "src/Menu.tsx",
            "const items = [\n  { id: 'a', label: 'Files' },\n  { id: 'b', label: 'Trash' },\n];\n",
            "const items = [\n  { id: 'a', label: 'Documents' },\n  { id: 'b', label: 'Trash' },\n];\n",
            "name=Files",
            "name=Documents",
        ),
    ] {
        check(path, before, after, of, expected);
    }
}
