//! Which script and which language a label is in, as far as a few words can tell.

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(super) enum Script {
    Latin,
    Greek,
    Cyrillic,
    Arabic,
    Hebrew,
    Indic,
    Thai,
    East,
}

/// The script of the first letter that tells.
pub(super) fn script(text: &str) -> Script {
    text.chars()
        .find_map(|c| match u32::from(c) {
            0x0041..=0x007a | 0x00c0..=0x024f => Some(Script::Latin),
            0x0370..=0x03ff => Some(Script::Greek),
            0x0400..=0x052f => Some(Script::Cyrillic),
            0x0590..=0x05ff => Some(Script::Hebrew),
            0x0600..=0x06ff => Some(Script::Arabic),
            0x0900..=0x0dff => Some(Script::Indic),
            0x0e00..=0x0eff => Some(Script::Thai),
            0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af => Some(Script::East),
            _ => None,
        })
        .unwrap_or(Script::Latin)
}

/// Small words that only one language has, by language.
const SMALL_WORDS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "the", "your", "you", "my", "and", "with", "is", "what", "sign", "log", "search", "password", "add", "new",
            "me", "to", "be",
        ],
    ),
    (
        "de",
        &[
            "und",
            "der",
            "die",
            "das",
            "ist",
            "zu",
            "mit",
            "ein",
            "eine",
            "nicht",
            "ich",
            "anmelden",
            "abmelden",
            "suchen",
            "speichern",
            "bleiben",
            "passwort",
            "neue",
            "neuer",
            "neues",
            "löschen",
            "hinzufügen",
            "bearbeiten",
            "abbrechen",
            "senden",
            "weiter",
            "zurück",
            "einstellungen",
            "erstellen",
        ],
    ),
    (
        "fr",
        &[
            "le",
            "la",
            "les",
            "et",
            "votre",
            "vous",
            "pour",
            "avec",
            "connexion",
            "rechercher",
            "mot",
            "passe",
            "se",
            "ajouter",
            "enregistrer",
            "supprimer",
            "annuler",
            "envoyer",
            "suivant",
            "précédent",
            "nouveau",
            "nouvelle",
            "créer",
            "modifier",
        ],
    ),
    (
        "es",
        &[
            "el",
            "los",
            "las",
            "y",
            "tu",
            "su",
            "para",
            "con",
            "iniciar",
            "sesión",
            "buscar",
            "contraseña",
            "añadir",
            "agregar",
            "guardar",
            "eliminar",
            "cancelar",
            "enviar",
            "siguiente",
            "anterior",
            "nuevo",
            "nueva",
            "crear",
            "editar",
        ],
    ),
    (
        "it",
        &[
            "il", "gli", "e", "con", "accedi", "cerca", "aggiungi", "salva", "elimina", "annulla", "invia", "avanti",
            "indietro", "nuovo", "nuova", "crea", "modifica",
        ],
    ),
    (
        "nl",
        &[
            "het",
            "een",
            "en",
            "voor",
            "met",
            "inloggen",
            "zoeken",
            "wachtwoord",
            "toevoegen",
            "opslaan",
            "verwijderen",
            "annuleren",
            "verzenden",
            "volgende",
            "vorige",
            "nieuwe",
            "aanmelden",
        ],
    ),
    (
        "pt",
        &[
            "o",
            "os",
            "um",
            "uma",
            "com",
            "entrar",
            "senha",
            "procurar",
            "pesquisar",
            "adicionar",
            "salvar",
            "excluir",
            "enviar",
            "próximo",
            "voltar",
            "novo",
            "nova",
            "criar",
        ],
    ),
    (
        "pl",
        &[
            "się", "zaloguj", "szukaj", "hasło", "dodaj", "zapisz", "usuń", "anuluj", "wyślij", "dalej", "wstecz",
            "nowy", "nowe",
        ],
    ),
    (
        "sv",
        &["och", "att", "med", "logga", "sök", "lösenord", "spara", "ta", "avbryt", "skicka", "nästa", "ny", "nytt"],
    ),
];

/// The language whose small words a label has, if only one has them.
pub(super) fn language(words: &[String]) -> Option<&'static str> {
    let mut having = SMALL_WORDS.iter().filter(|(_, small)| words.iter().any(|word| small.contains(&word.as_str())));
    let found = having.next().map(|(language, _)| *language);
    if having.next().is_some() { None } else { found }
}
