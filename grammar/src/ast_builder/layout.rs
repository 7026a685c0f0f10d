//! Builds layouts and stages.

use super::{AstBuilder, BuildResult, Children, CstNode};
use crate::ast::{
    ArrowEnds, DifferenceKind, FacePart, FaceStat, Layout, LayoutEntry, LayoutEntryKind, LayoutFace, LayoutRow, LayoutRowKind,
    LinkKind, Name, Path, RowStyle, Span, Stage, Tone, WordHue,
};
use crate::parser::Rule;

impl AstBuilder {
    /// `layout { … }`, after its keyword.
    pub(super) fn layout(&self, mut kids: Children<'_>, span: Span) -> BuildResult<Layout> {
        Ok(Layout { entries: self.layout_entries(kids.find(Rule::layout_body)?)?, span })
    }

    fn layout_entries(&self, body: CstNode<'_>) -> BuildResult<Vec<LayoutEntry>> {
        let entries = self.children(body).filter(|kid| !matches!(kid.as_rule(), Rule::comma));
        entries.map(|entry| self.layout_entry(entry)).collect()
    }

    fn layout_entry(&self, node: CstNode<'_>) -> BuildResult<LayoutEntry> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut kids = self.children(node);
        let kind = match rule {
            Rule::layout_area => {
                let is_middle = kids.require()?.as_rule() == Rule::k_middle;
                LayoutEntryKind::Area { is_middle, rows: self.layout_rows(kids.find(Rule::layout_rows)?)? }
            }
            Rule::layout_plate => {
                let (mut large, mut show) = (Vec::new(), Vec::new());
                for kid in kids {
                    match kid.as_rule() {
                        Rule::plate_large => large.extend(self.names(kid)),
                        Rule::plate_show => show.extend(self.names(kid)),
                        _ => {}
                    }
                }
                LayoutEntryKind::Plate { large, show }
            }
            Rule::layout_hidden => LayoutEntryKind::Hidden(self.labels(kids)),
            Rule::layout_link => {
                let kind = if kids.require()?.as_rule() == Rule::k_beside { LinkKind::Beside } else { LinkKind::Under };
                LayoutEntryKind::Links { kind, statuses: self.labels(kids) }
            }
            Rule::layout_arrow => {
                let ends = kids.filter(|kid| kid.as_rule() == Rule::arrow_ends).filter_map(|kid| {
                    let mut names = self.names(kid).into_iter();
                    Some(ArrowEnds { from: names.next()?, to: names.next() })
                });
                LayoutEntryKind::Arrows(ends.collect())
            }
            Rule::layout_forward => LayoutEntryKind::Forward(self.expr(kids.find(Rule::expr)?)?),
            Rule::layout_face => {
                let filter = self.expr(kids.find(Rule::operand)?)?;
                LayoutEntryKind::Face(LayoutFace { filter, parts: self.face_parts(kids)? })
            }
            _ => {
                let hues = kids.filter(|kid| kid.as_rule() == Rule::hue);
                LayoutEntryKind::Hues(hues.map(|hue| self.word_hue(hue)).collect::<BuildResult<_>>()?)
            }
        };
        Ok(LayoutEntry { kind, span })
    }

    fn layout_rows(&self, node: CstNode<'_>) -> BuildResult<Vec<LayoutRow>> {
        self.children(node).map(|row| self.layout_row(row)).collect()
    }

    fn layout_row(&self, node: CstNode<'_>) -> BuildResult<LayoutRow> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut kids = self.children(node);
        let first = kids.require()?.as_rule();
        if rule == Rule::layout_side {
            let rows = self.nested(1, span, || self.layout_rows(kids.find(Rule::layout_rows)?))?;
            return Ok(LayoutRow { kind: LayoutRowKind::Side { is_left: first == Rule::k_left, rows }, span });
        }
        let style = match first {
            Rule::k_tiles => RowStyle::Tiles,
            Rule::k_fan => RowStyle::Fan,
            Rule::k_pile => RowStyle::Pile,
            Rule::k_backs => RowStyle::Backs,
            Rule::k_places => RowStyle::Places,
            _ => RowStyle::Row,
        };
        let places = if style == RowStyle::Places {
            let number = kids.find(Rule::number)?;
            Some((self.small_number(&number)?, self.span(&number), self.name(&kids.find(Rule::name)?)))
        } else {
            None
        };
        let contents = self.children(kids.find(Rule::row_contents)?).filter(|kid| kid.as_rule() == Rule::operand);
        let contents = contents.map(|content| self.expr(content)).collect::<BuildResult<_>>()?;
        let equal_together = kids.take_if(Rule::equal_together);
        Ok(LayoutRow { kind: LayoutRowKind::Row { style, contents, places, equal_together }, span })
    }

    fn face_parts(&self, kids: Children<'_>) -> BuildResult<Vec<FacePart>> {
        let mut parts = Vec::new();
        for kid in kids {
            let rule = kid.as_rule();
            let mut inner = self.children(kid);
            parts.push(match rule {
                Rule::face_hue => FacePart::Hue(self.labels(inner)),
                Rule::face_corner => FacePart::Corner(self.name(&inner.find(Rule::name)?)),
                Rule::face_line => FacePart::Line(self.labels(inner)),
                Rule::face_stat => {
                    let stats = inner.filter(|kid| kid.as_rule() == Rule::stat);
                    FacePart::Stats(stats.map(|stat| self.face_stat(stat)).collect::<BuildResult<_>>()?)
                }
                Rule::face_turned => FacePart::Turned(self.expr(inner.find(Rule::expr)?)?),
                Rule::face_dim => FacePart::Dim(self.expr(inner.find(Rule::expr)?)?),
                Rule::face_count => FacePart::Counts(self.labels(inner)),
                Rule::face_mark => FacePart::Marks(self.labels(inner)),
                _ => continue,
            });
        }
        Ok(parts)
    }

    fn face_stat(&self, node: CstNode<'_>) -> BuildResult<FaceStat> {
        let mut kids = self.children(node);
        let first = self.name(&kids.find(Rule::name)?);
        let second = if kids.take_if(Rule::slash) { Some(self.name(&kids.find(Rule::name)?)) } else { None };
        let condition = if kids.take_if(Rule::k_when) { Some(self.expr(kids.find(Rule::expr)?)?) } else { None };
        Ok(FaceStat { first, second, condition })
    }

    fn word_hue(&self, node: CstNode<'_>) -> BuildResult<WordHue> {
        let mut kids = self.children(node);
        let word = self.name(&kids.find_label()?);
        let number = kids.find(Rule::number)?;
        let tone = match kids.peek() {
            Some(Rule::k_soft) => Tone::Soft,
            Some(Rule::k_grey) => Tone::Grey,
            Some(Rule::k_pale) => Tone::Pale,
            _ => Tone::Full,
        };
        Ok(WordHue { word, degrees: self.small_number(&number)?, degrees_span: self.span(&number), tone })
    }

    /// `append layout { … }`, `append layout.seat { … }`, after `append`.
    pub(super) fn append_layout(&self, mut kids: Children<'_>) -> BuildResult<DifferenceKind> {
        let head = kids.require()?;
        if head.as_rule() == Rule::layout_path {
            return Ok(DifferenceKind::AppendRows {
                path: self.path(&head)?,
                rows: self.layout_rows(kids.find(Rule::layout_rows)?)?,
            });
        }
        let name: Name = self.name(&head);
        let path = Path { span: name.span, parts: vec![name] };
        Ok(DifferenceKind::AppendLayout { path, entries: self.layout_entries(kids.find(Rule::layout_body)?)? })
    }

    /// `replace layout.seat.ZONE { … }`, after `replace`.
    pub(super) fn replace_rows(&self, mut kids: Children<'_>) -> BuildResult<DifferenceKind> {
        let path = self.path(&kids.find(Rule::layout_path)?)?;
        Ok(DifferenceKind::ReplaceRows { path, rows: self.layout_rows(kids.find(Rule::layout_rows)?)? })
    }

    /// `stage "…" for NOUN { … }`, after its keyword.
    pub(super) fn stage(&self, mut kids: Children<'_>) -> BuildResult<Stage> {
        let title = self.name(&kids.find(Rule::quoted)?);
        let filter = self.expr(kids.find(Rule::operand)?)?;
        let scenario = self.scenario_parts(title, kids)?;
        Ok(Stage { filter, scenario })
    }
}
