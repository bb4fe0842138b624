//! The signals a comparison can give, and THE table: what each is worth in bits, and the figure behind it.

/// Declares the signals and their table in one place, so that none can be without a weight.
macro_rules! signals {
    ($($name:ident $bits:literal $figure:literal;)*) => {
        /// One outcome of one kind of comparison.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(missing_docs, reason = "each name says it; the figure beside it in the table says the rest")]
        pub enum Signal {
            $($name,)*
        }

        impl Signal {
            /// Every signal, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The signal's name in the table.
            pub fn label(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// What it says where no value need be named.
            pub fn sentence(self) -> &'static str {
                use Signal as S;
                match self {
                    S::ClassSame => "same classes",
                    S::ClassMost => "most classes are the same",
                    S::ClassSome => "some classes are the same",
                    S::ClassOther => "other classes",
                    S::ClassGone => "the classes are gone",
                    S::ClassCome => "has classes and had none",
                    S::AltSame => "same alt text",
                    S::AltOther => "another alt text",
                    S::NearMost => "the words around it are the same",
                    S::NearSome => "many of the words around it are the same",
                    S::NearFew => "few of the words around it are the same",
                    S::NearNone => "none of the words around it are the same",
                    S::PlaceSame => "stands where it stood",
                    S::PlaceClose => "stands close to where it stood",
                    S::PlaceCorner => "stands in the same landmark, as far from the left",
                    S::PlaceLandmark => "stands in the same landmark",
                    S::PlaceNear => "stands not far from where it stood",
                    S::PlaceAway => "stands away from where it stood",
                    S::PlaceElsewhere => "stands elsewhere, in another landmark",
                    S::PlaceFar => "stands far from where it stood",
                    S::RowSame => "stands at the same height of the page",
                    S::RowNear => "stands at about the same height of the page",
                    S::RowFar => "stands at another height of the page",
                    S::SizeSame => "has the same size",
                    S::SizeLike => "has about the same size",
                    S::SizeOther => "has another size",
                    S::SizeFar => "has a very different size",
                    S::PathSame => "has the same path from the root",
                    S::PathTail => "the end of its path is the same",
                    S::PathOther => "has another path",
                    S::WasBeside => "its text stood beside the element before",
                    S::WasAnother => "a control of this name stood beside the element on the green run: it is that one",
                    S::HadTwin => "several controls had this name on the green run, and this one stands elsewhere",
                    S::GroupOther => "belongs to another group of controls",
                    S::LandmarkSame => "stands in the same landmark",
                    S::LandmarkOther => "stands in another landmark",
                    S::HeadingSame => "stands below the same heading",
                    S::HeadingOther => "stands below another heading",
                    S::FormSame => "belongs to the same form",
                    S::FormOther => "belongs to another form",
                    S::OrderSame => "has the same place among its like",
                    S::OrderOther => "has another place among its like",
                    S::FieldName => "same name attribute",
                    S::TextNeither => "no text, then as now",
                    S::CarriedMost => "its attributes and texts hold most words of the stale literal",
                    S::CarriedSome => "its attributes and texts hold some words of the stale literal",
                    S::CarriedSure => "its texts say with other words what the stale literal says",
                    S::CarriedExchanged => "some words of the stale literal were exchanged for others",
                    S::CarriedNone => "nothing of it holds a word of the stale literal",
                    S::ActionFits | S::FieldFits => "the action fits",
                    S::ActionPlain => "is neither link nor button",
                    S::ValueFits => "the value fits",
                    S::ValueUnfit => "the value does not belong into it",
                    S::OptionThere => "has the option that is chosen",
                    S::SuccessorNone => "the repository dropped what the locator asked for and put nothing in its place",
                    S::SuccessorDoubt => "with the name it got another text, so it may be another function",
                    S::NamesShared => "names around the locator share a word with it",
                    S::NamesAll => "the name that the test gives it is what it says",
                    S::ScopeGone => "what stood around it is not found, so it may be a twin elsewhere",
                    S::SubmitsForm => "submits the form that the test has just filled",
                    S::OnlyOne => "is the only one here that the action can work on",
                    S::AllButOne => "is the only one that fits all of the stale selector but one condition",
                    S::RenamedClass => "is one of the few that fit all of the stale selector but one class, and has one of its own in its place",
                    S::FewButOne => "is one of the few that fit all of the stale selector but one condition",
                    S::OutsideForm => "stands outside of the form that the test fills in",
                    S::FormMate => "stands in the form or dialog that other steps of the test work in",
                    S::OneOfMany => "is one of several of its look, where an id names one",
                    S::TitleAll => "the test's titles say all that it says",
                    S::LiteralSaid => "says what the stale literal names",
                    S::Impossible => "cannot be it: hidden, out of scope, taken by another locator, or nothing the action can work on",
                    _ => "",
                }
            }

            /// Whether it forbids to act without a person, however well everything else fits: the element says or is
            /// something else, or stands somewhere else.
            pub fn objects(self) -> bool {
                use Signal as S;
                matches!(
                    self,
                    S::TextExchanged | S::TextLittle | S::TextSome | S::TextSynonym | S::TextSure | S::TextLanguage | S::TextWithin | S::TextOther
                        | S::TextOpposite | S::TextScope | S::TextGone | S::TextCome | S::TagOther | S::SizeFar
                        | S::PlaceElsewhere | S::PlaceFar | S::LandmarkOther | S::WasBeside | S::HadTwin | S::GroupOther | S::SaidScope | S::SaidOpposite | S::CarriedExchanged | S::RoleOther
 | S::AskedRoleOther | S::ActionPlain | S::ValueUnfit
                )
            }

            /// Whether it can carry a repair alone where nothing but the locator is known. Words added or dropped cannot:
            /// `Clear completed` is not `Completed`.
            pub fn grounds(self) -> bool {
                matches!(self, Self::SaidSame | Self::SaidSure) || self.anchors()
            }

            /// Whether it can carry a proposal where nothing but the locator is known.
            pub fn hints(self) -> bool {
                use Signal as S;
                let said = matches!(self, S::SaidMost | S::SaidPunctuated | S::SaidSome | S::SaidSynonym | S::SaidLanguage);
                let carried = matches!(self, S::CarriedMost | S::CarriedSure | S::CarriedSome | S::CarriedExchanged);
                said || carried || self.grounds() || matches!(self, S::OptionThere | S::ValueFits | S::NamesAll | S::TitleAll | S::AllButOne | S::RenamedClass | S::OnlyOne)
            }

            /// Whether it is about the text alone: what else is known of a recorded element may outweigh it.
            pub fn is_rewording(self) -> bool {
                use Signal as S;
                matches!(
                    self,
                    S::TextExchanged | S::TextLittle | S::TextSome | S::TextSynonym | S::TextSure | S::TextLanguage | S::TextOther | S::TextGone | S::TextCome
                )
            }

            /// Whether it is another text than the one on record, whatever that means.
            pub fn changes_text(self) -> bool {
                self.is_rewording() || matches!(self, Self::TextMost | Self::TextWithin | Self::TextOpposite | Self::TextScope)
            }

            /// Whether it is a new text that still means the old one, or cannot be held against it: synonyms, words added or
            /// dropped, another language. The others may be another function in the same place.
            pub fn keeps_meaning(self) -> bool {
                use Signal as S;
                matches!(self, S::TextSure | S::TextSynonym | S::TextSome | S::TextMost | S::TextLanguage)
            }

            /// Whether it forbids even to propose.
            pub fn vetoes(self) -> bool {
                matches!(self, Self::TextOpposite | Self::SaidOpposite | Self::ValueUnfit | Self::WasAnother)
            }

            /// Whether it rests on something that no other element has: an exact id, a carried literal, the repository.
            pub fn anchors(self) -> bool {
                use Signal as S;
                matches!(self, S::IdSame | S::TestIdSame | S::FieldName | S::CarriedExact | S::SuccessorSame)
            }

            /// Whether it says that the element was there all along as another one, so that no id or name that it carries now
            /// makes it the lost one.
            pub fn is_another(self) -> bool {
                matches!(self, Self::WasAnother | Self::HadTwin | Self::GroupOther)
            }

            /// Whether it says that the element means something else now: a name that the repository exchanged for its opposite
            /// is for a person to confirm.
            pub fn means_another(self) -> bool {
                matches!(
                    self,
                    Self::TextOpposite | Self::TextScope | Self::SaidOpposite | Self::SaidScope | Self::SuccessorDoubt
                )
            }

            /// Whether it speaks of where the element stands, not of what it is: a twin elsewhere has all but this.
            pub fn is_place(self) -> bool {
                use Signal as S;
                matches!(
                    self,
                    S::NearMost | S::NearSome | S::NearFew | S::NearNone | S::PlaceSame | S::PlaceClose | S::PlaceCorner
 | S::PlaceLandmark | S::PlaceNear | S::PlaceAway | S::PlaceElsewhere | S::PlaceFar | S::RowSame | S::RowNear | S::RowFar | S::PathSame | S::PathTail | S::PathOther | S::LandmarkSame | S::LandmarkOther | S::HeadingSame | S::HeadingOther | S::FormSame | S::FormOther | S::OrderSame | S::OrderOther
                )
            }

            /// The figure its weight rests on.
            pub fn figure(self) -> &'static str {
                match self { $(Self::$name => $figure,)* }
            }
        }

        /// The weights of the table, by [`Signal`].
        const TABLE: &[f64] = &[$($bits,)*];
    };
}

signals! {
    TextSame 7.5 "560 of the right, 554 of the others";
    TextSameLong 6.4 "151 of the right, 32 of the others";
    TextMost 2.5 "42 of the right, 1174 of the others";
    TextSome 0.7 "22 of the right, 232 of the others";
    TextExchanged -1.2 "4 of the right, 600 of the others";
    TextLittle -0.2 "15 of the right, 9142 of the others";
    TextWithin -0.3 "14 of the right, 2417 of the others";
    TextSynonym -1.1 "4 of the right, 836 of the others";
    TextSure 3.0 "as SaidSure, less what SaidOther takes from all others";
    TextLanguage -0.2 "as TextLittle: a text in another language says nothing";
    TextOther -5.5 "13 of the right, 147015 of the others";
    TextOpposite -2.5 "4 of the right, 727 of the others";
    TextScope -0.3 "17 of the right, 22016 of the others";
    TextGone -1.5 "53 of the right, 37931 of the others";
    TextCome -0.5 "14 of the right, 12832 of the others";
    TextNeither 2.9 "60 of the right, 7996 of the others";
    HrefSame 3.1 "168 of the right, 100 of the others";
    HrefMost 1.2 "38 of the right, 591 of the others";
    HrefSome -3.1 "2 of the right, 7452 of the others";
    HrefOther -2.0 "5 of the right, 23802 of the others";
    HrefGone -0.2 "265 of the right, 104661 of the others";
    HrefCome -0.8 "55 of the right, 22847 of the others";
    IdSame 6.8 "41 of the right, 2 of the others";
    IdAlike 5.5 "8 of the right, 21 of the others";
    IdOther 2.3 "24 of the right, 2155 of the others";
    IdGone 1.3 "154 of the right, 31353 of the others";
    IdCome 0.5 "28 of the right, 8079 of the others";
    NameSame 7.5 "42 of the right, 12 of the others";
    NameOther -2.5 "0 of the right, 1715 of the others";
    NameGone -0.1 "83 of the right, 28299 of the others";
    NameCome -0.7 "3 of the right, 2711 of the others";
    ClassSame -1.2 "172 of the right, 2464 of the others";
    ClassMost 0.0 "9 of the right, 1712 of the others";
    ClassSome 1.9 "5 of the right, 979 of the others";
    ClassOther 0.7 "354 of the right, 106690 of the others";
    ClassGone 0.3 "75 of the right, 25699 of the others";
    ClassCome 0.2 "169 of the right, 73690 of the others";
    TagSame 1.7 "436 of the right, 48526 of the others";
    TagSort 0.6 "4 of the right, 1142 of the others";
    TagOther -3.9 "533 of the right, 193836 of the others";
    AltSame 4.0 "prior";
    AltOther -1.0 "prior";
    NearMost 1.2 "449 of the right, 3536 of the others";
    NearSome -0.6 "99 of the right, 5403 of the others";
    NearFew 0.6 "69 of the right, 13607 of the others";
    NearNone -2.2 "125 of the right, 133081 of the others";
    PlaceSame 2.9 "289 of the right, 404 of the others";
    PlaceClose 2.6 "360 of the right, 3918 of the others";
    PlaceCorner 2.6 "128 of the right, 3351 of the others";
    PlaceLandmark -0.4 "42 of the right, 17689 of the others";
    PlaceNear 1.5 "88 of the right, 8245 of the others";
    PlaceAway 0.5 "46 of the right, 31142 of the others";
    PlaceElsewhere -5.0 "19 of the right, 153217 of the others";
    PlaceFar -2.7 "1 of the right, 25538 of the others";
    RowSame 1.3 "439 of the right, 7901 of the others";
    RowNear 1.0 "352 of the right, 14551 of the others";
    RowFar 0.1 "182 of the right, 221052 of the others";
    SizeSame 1.7 "377 of the right, 3090 of the others";
    SizeLike 0.8 "256 of the right, 21951 of the others";
    SizeOther -0.2 "271 of the right, 51022 of the others";
    SizeFar -2.6 "69 of the right, 167441 of the others";
    PathSame 6.0 "80 of the right, 16 of the others";
    PathTail 1.9 "233 of the right, 2740 of the others";
    PathOther -0.3 "660 of the right, 240748 of the others";
    WasBeside -5.0 "a neighbour that slid into the gap: its text stood beside the element before";
    WasAnother -9.0 "as the sum of TextOther and PlaceElsewhere: a control of this name was there beside the recorded one";
    HadTwin -4.0 "as LandmarkOther, of one of several controls of one name";
    GroupOther -4.0 "as LandmarkOther";
    FieldName 8.0 "as NameSame: name attributes of fields are stable over years in 92 % (shared/data/similo)";
    LandmarkSame 1.5 "between PlaceCorner and PlaceLandmark: there is no box in a trace";
    LandmarkOther -4.0 "as PlaceElsewhere";
    HeadingSame 1.0 "as PathTail";
    HeadingOther -0.5 "as PathOther";
    FormSame 1.0 "as PathTail";
    FormOther -2.0 "as PlaceFar";
    OrderSame 1.0 "as PathTail";
    OrderOther -0.3 "as PathOther";
    TestIdSame 8.0 "as IdSame";
    TestIdOther -1.0 "as IdOther";
    RoleSame 2.0 "93.7 % of real repairs keep role and tag (users.md); one element in four of a page has the role";
    RoleSort 1.0 "role or tag changed in 6.3 % of real repairs (users.md)";
    RoleOther -4.0 "role or tag changed in 6.3 % of real repairs (users.md)";
    SaidSame 7.0 "as TextSame";
    SaidMost 5.0 "68 of 100 rewordings keep the subject or add and drop words (users.md)";
    SaidPunctuated 2.5 "half of SaidMost: what says the same in other signs stood there before as often as not, for the locator did not match it";
    SaidSure 4.5 "as SaidSynonym, and every word stands in a hand-made group";
    SaidSynonym 2.0 "36 of 100 rewordings keep the subject (users.md); a synonym is a neighbour in one case of five (ui-meaning.md)";
    SaidSome 1.5 "32 of 100 rewordings add or drop words (users.md)";
    SaidLittle 0.0 "exchanged words belong to a neighbour as often as to a rename (ui-meaning.md)";
    SaidOther -1.5 "21 of 100 rewordings have unrelated words (users.md), and so have nearly all other elements";
    SaidLanguage -0.5 "a text in another language says nothing";
    SaidScope -4.0 "never a rename in the pairs of ui-meaning.md";
    SaidOpposite -9.0 "never a rename in the pairs of ui-meaning.md: 0 of 55";
    CarriedExact 9.0 "the same literal under another attribute: 21 of 70 moves (users.md), one element in 500 by chance";
    CarriedMost 4.0 "kinds that keep most of the words: 68 % of real repairs keep the kind (users.md)";
    CarriedSome 1.5 "a fifth of the new literals share less than 0.3 with the old one (issue 5)";
    CarriedExchanged 1.5 "as CarriedSome, but a person has to confirm it";
    CarriedSure 3.6 "as SaidSure, less one bit: the words of an identifier are fewer";
    CarriedNone -1.0 "a fifth of the new literals share less than 0.3 with the old one (issue 5)";
    AskedRole 0.0 "who has the role is one of the contenders that none of these is weighed against";
    AskedRoleSort -1.0 "role or tag changed in 6.3 % of real repairs (users.md), mostly between link and button";
    AskedRoleOther -5.0 "role or tag changed in 6.3 % of real repairs (users.md)";
    ActionFits 0.0 "whom the action fits is one of the contenders that none of these is weighed against";
    FieldFits 0.0 "as ActionFits, for what is typed, ticked, chosen or uploaded";
    ActionPlain -4.4 "what is pressed is a link or a button in 9 of 10 calls, and 3 of 10 elements of a page are one";
    ValueFits 3.0 "a password goes into a password field, an address into an address field";
    ValueUnfit -8.0 "robotframework-heal's wrong heals: a password in the field of the user name (users.md)";
    OptionThere 4.0 "the option that is chosen exists in this select";
    SuccessorSame 10.0 "right in 95 % of the cases where it exists (repair.md)";
    SuccessorDoubt -2.0 "as TextOther, which it is on the old page: 13 of the right, 147015 of the others";
    SuccessorNone -1.5 "prior: what went without a successor is gone, or its hunk could not be read (repair.md: there for one repair in six)";
    NamesShared 1.5 "names around the locator share a word with the element";
    NamesAll 3.0 "as CarriedMost, less one bit: a name in the test is written for its reader, not for the page";
    ScopeGone 0.0 "says nothing of one candidate more than of another; what stands elsewhere may be a twin";
    SubmitsForm 2.5 "after its fields, what a test presses of a form is what submits it; one button in five of a page with a form does";
    OnlyOne 2.0 "the only field, box or list of options that the action can work on where the locator looks";
    AllButOne 4.5 "as SaidSure: of the conditions of a selector one is dropped, and one element of the page has all others";
    RenamedClass 4.5 "as AllButOne: for one of a few, and what stands in place of the class is on nothing else";
    FewButOne 1.5 "prior, less than AllButOne: up to three share it, and a house class in place of the old one is another kind";
    OutsideForm -1.5 "prior: the other side of SubmitsForm";
    FormMate 1.0 "prior: a test that fills one field of a form fills others of it; as FormSame";
    OneOfMany -6.0 "prior: an id or test id names one element, and controls of one look in each row or column seldom have one";
    TitleAll 2.5 "prior, less than NamesAll: a title is about the whole test";
    LiteralSaid 0.0 "says nothing of one candidate alone: it tells whether another one says what the stale literal names";
    Impossible -60.0 "hidden, claimed by another locator of the test, or nothing the action could work on";
}

/// A weight for every signal, and one for "none of these".
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    bits: Vec<f64>,
    /// The standing of "none of these", in bits.
    pub none: f64,
    /// How common twins are: what a page has of an element's content again, elsewhere, in bits (negative).
    pub twin: f64,
}

/// The standing of "none of these" in the table, in bits.
const NONE: f64 = 1.2;

/// The standing of a twin in the table, in bits.
const TWIN: f64 = -2.4;

impl Default for Weights {
    fn default() -> Self {
        Self { bits: TABLE.to_vec(), none: NONE, twin: TWIN }
    }
}

impl Weights {
    /// The weight of a signal in bits.
    pub fn of(&self, signal: Signal) -> f64 {
        self.bits.get(signal as usize).copied().unwrap_or_default()
    }

    /// Gives a signal another weight.
    pub fn set(&mut self, signal: Signal, bits: f64) {
        if let Some(weight) = self.bits.get_mut(signal as usize) {
            *weight = bits;
        }
    }
}
