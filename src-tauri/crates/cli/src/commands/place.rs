//! `silt checkpoint place`.

use std::sync::Arc;

use siltstone_app::Sink;
use siltstone_contract::{CheckpointPlace, CopyEvent, ProjectRef, SetPlace, TakeFolder};
use siltstone_engine::checkpoint::Kept;

use super::checkpoint::project;
use crate::args::Home;
use crate::host::Host;
use crate::out::Stop;

pub async fn run(host: &Host, to: Option<Home>, take: Option<String>) -> Result<(), Stop> {
    let project_id = project(host).await?;
    let here = host.app.checkpoint_place(ProjectRef { id: project_id }).await?;
    if let Some(name) = take {
        return taken(host, TakeFolder { project_id, name }).await;
    }
    let to = match to {
        Some(Home::Here) => Kept::Here,
        Some(Home::Project) => Kept::Project,
        None => here.kept,
    };
    if to == here.kept {
        return said(host, &here);
    }
    let out = host.out.clone();
    let steps: Sink<CopyEvent> =
        Arc::new(move |event| out.note(&format!("{} / {}", event.done, event.total)));
    let place = host.app.checkpoint_place_set(SetPlace { project_id, to }, steps).await?;
    said(host, &place)
}

async fn taken(host: &Host, request: TakeFolder) -> Result<(), Stop> {
    let taken = host.app.checkpoint_place_take(request).await?;
    if host.out.json {
        return host.out.value(&taken);
    }
    let lang = host.out.lang;
    taken.taken.iter().try_for_each(|id| host.out.line(&id.to_string()))?;
    if taken.left_out > 0 {
        let said = ("{} damaged or newer, left out", "망가졌거나 더 새로운 {}개는 뺐습니다");
        host.out.line(&lang.count(said.0, said.1, taken.left_out))?;
    }
    if taken.sealed {
        let said = "a part is sealed with a key that is not here";
        host.out.line(lang.pick(said, "일부는 여기에 없는 열쇠로 봉인되어 있습니다"))?;
    }
    Ok(())
}

fn said(host: &Host, place: &CheckpointPlace) -> Result<(), Stop> {
    if host.out.json {
        return host.out.value(place);
    }
    let lang = host.out.lang;
    host.out.line(lang.pick("on this computer", "이 컴퓨터"))?;
    if let Some(path) = &place.path {
        host.out.line(&format!("{}: {path}", lang.pick("a copy", "사본")))?;
    }
    notes(host, place)?;
    place.found.iter().filter(|folder| !folder.taken).try_for_each(|folder| {
        let said = lang.pick("of another computer", "다른 컴퓨터의 것");
        host.out.line(&format!("{said}: {}  {}", folder.name, lang.size(folder.bytes)))
    })
}

/// What is not as it should be of the copy in the project's folder, and what was lost there before it was one.
pub(super) fn notes(host: &Host, place: &CheckpointPlace) -> Result<(), Stop> {
    let lang = host.out.lang;
    if place.waits {
        let said = "what these checkpoints hold is in this folder alone, and is brought to this \
                    computer as soon as the folder is there and its key at hand";
        let korean = "체크포인트가 담은 것이 아직 이 폴더에만 있습니다. 폴더와 열쇠가 있으면 이 컴퓨터로 \
                      가져옵니다";
        host.out.line(lang.pick(said, korean))?;
    } else if place.path.is_some() && !place.whole {
        let said =
            "the copy is not whole; nothing is lost, and the next checkpoint writes it again";
        let korean = "사본이 온전하지 않습니다. 잃은 것은 없으며, 다음 체크포인트 때 다시 씁니다";
        host.out.line(lang.pick(said, korean))?;
    }
    if let Some(failed) = &place.failed {
        let said = lang.pick("it could not be written the last time", "지난번에 쓰지 못했습니다");
        host.out.line(&format!("{said}: {failed}"))?;
    }
    if place.lost > 0 {
        let said =
            ("{} checkpoint(s) lost what they held", "체크포인트 {}개가 담은 것을 잃었습니다");
        host.out.line(&lang.count(said.0, said.1, place.lost))?;
    }
    Ok(())
}
